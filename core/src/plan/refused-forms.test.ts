import { describe, expect, it } from 'vitest';
import { type DeclaredRecord, declare, definitions, type StoredRecord } from '../records/registry.js';
import { plan } from './diff.js';

const policy = (fields: Record<string, unknown>) => declare('policy', definitions.policy.schema.parse(fields));
const stored = (declared: DeclaredRecord, managed_by: string) =>
  ({ ...declared, id: 'x', managed_by, created_at: '', updated_at: '', revision: 1 }) as StoredRecord;
const planned = (records: DeclaredRecord[], held: StoredRecord[]) =>
  plan({ records, moves: [], stack: 'main' }, { tenant: 'acme', revision: '3.0123456789abcdef', records: held });

describe('a stored DENY of second factors, which is refused now', () => {
  const covers = { name: 'd', effect: 'DENY', resource_type: 'a/b', actions: ['x'] };
  const valid = policy(covers);
  const old = { ...valid, fields: { ...valid.fields, modifiers: { mfa_required: true } } } as DeclaredRecord;

  it('is named with its owner and the remedy', () => {
    expect(planned([], [stored(old, 'api'), stored(policy({ ...covers, name: 'e' }), 'api')]).refused_forms).toEqual([
      {
        address: 'policy/d',
        managed_by: 'api',
        detail: expect.stringContaining('write `unless: { mfa_required: true }`'),
      },
    ]);
  });

  it('is not named where the plan writes it again or removes it', () => {
    expect(planned([policy({ ...covers, unless: { mfa_required: true } })], [stored(old, 'main')])).not.toHaveProperty(
      'refused_forms',
    );
    expect(planned([], [stored(old, 'main')])).not.toHaveProperty('refused_forms');
  });
});

import { describe, expect, it } from 'vitest';
import type { Change, StageOptions } from './change.js';
import { TenantState } from './tenant-state.js';

let ids = 0;
const at = (revision: number, more: Partial<StageOptions> = {}): StageOptions => ({
  now: new Date(0),
  newId: () => `id-${++ids}`,
  revision,
  ...more,
});

describe('ownership', () => {
  const hr = () => {
    const state = new TenantState();
    state.commit(state.stage([{ op: 'create', kind: 'role', fields: { name: 'auditor' } }], at(1, { stack: 'hr' })));
    return state;
  };
  const described: Change = { op: 'update', address: 'role/auditor', fields: { name: 'auditor', description: 'x' } };
  const adopt: Change = { op: 'adopt', address: 'role/auditor' };
  const remove: Change = { op: 'delete', address: 'role/auditor' };
  const move: Change = { op: 'move', from: 'role/auditor', to: 'role/reviewer' };

  it.each([
    ['update', described],
    ['delete', remove],
    ['move', move],
    ['adopt', adopt],
  ] as const)('refuses another stack the %s of a record, naming owner and remedy', (_, change) => {
    expect(() => hr().stage([change], at(2, { stack: 'main' }))).toThrow(
      expect.objectContaining({
        code: 'not_owner',
        errors: [expect.objectContaining({ pointer: '/changes/0', address: 'role/auditor' })],
        detail: expect.stringMatching(/role\/auditor.*"hr".*"main".*--take-ownership/),
      }),
    );
  });

  it.each([
    ['update', described],
    ['move', move],
    ['adopt', adopt],
  ] as const)('passes with the %s when it is taken', (_, change) => {
    const [put] = hr().stage([change], at(2, { stack: 'main', takeOwnership: true })).put;
    expect(put?.record.managed_by).toBe('main');
  });

  it('is refused once for all records, which are listed', () => {
    const state = hr();
    const clerk: Change = { op: 'create', kind: 'role', fields: { name: 'clerk' } };
    state.commit(state.stage([clerk], at(2, { stack: 'it' })));
    expect(() => state.stage([described, { op: 'delete', address: 'role/clerk' }], at(3, { stack: 'main' }))).toThrow(
      expect.objectContaining({
        detail:
          '2 records belong to the stacks "it", "hr", not to "main": change them there, or take them over with --take-ownership.',
        errors: [
          { pointer: '/changes/1', detail: 'belongs to the stack "it"', address: 'role/clerk' },
          { pointer: '/changes/0', detail: 'belongs to the stack "hr"', address: 'role/auditor' },
        ],
      }),
    );
  });

  it('stays where no stack is named', () => {
    expect(hr().stage([described], at(2)).put[0]?.record.managed_by).toBe('hr');
    expect(hr().stage([remove], at(2)).remove).toHaveLength(1);
  });

  it('is taken together with an update', () => {
    const { put } = hr().stage([described, adopt], at(2, { stack: 'main', takeOwnership: true }));
    expect(put).toMatchObject([{ record: { managed_by: 'main', fields: { description: 'x' } } }]);
  });

  it('cannot be taken by nobody', () => {
    expect(() => hr().stage([adopt], at(2))).toThrow(expect.objectContaining({ code: 'conflict' }));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSegment, encodeSegment, names, path, splitAddress } from './address.js';
import type { Kind } from './kinds.js';
import { addressOf, definitionOf } from './registry.js';

const addresses: [Kind, Record<string, unknown>, string][] = [
  ['application', { name: 'billing' }, 'application/billing'],
  ['resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }, 'resource_type/billing/invoice'],
  ['resource', { type: 'billing/invoice', name: 'INV-1' }, 'resource/billing/invoice/INV-1'],
  ['resource', { type: 'billing/invoice', name: 'a/b c%' }, 'resource/billing/invoice/a%2Fb%20c%25'],
  ['subject_type', { name: 'a user' }, 'subject_type/a%20user'],
  ['subject', { type: 'user', id: 'alice@example.com' }, 'subject/user/alice@example.com'],
  ['context_attribute', { name: 'amount', type: 'number' }, 'context_attribute/amount'],
  ['directory', { name: 'okta' }, 'directory/okta'],
  ['role', { application: 'billing', name: 'accountant' }, 'role/billing/accountant'],
  ['role', { name: 'auditor' }, 'role/auditor'],
  ['group', { name: 'finance' }, 'group/finance'],
  ['policy', { name: 'p', effect: 'DENY', resource_type: 'a/b', actions: ['*'] }, 'policy/p'],
  [
    'policy_assignment',
    { policy: 'billing/approve', entity_type: 'role', entity: 'billing/accountant' },
    'policy_assignment/billing/approve//role/billing/accountant',
  ],
  [
    'role_assignment',
    { role: 'auditor', entity_type: 'subject', entity: 'user/alice' },
    'role_assignment/auditor//subject/user/alice',
  ],
  [
    'role_assignment',
    { role: 'docs/viewer', entity_type: 'subject', entity: 'user/anne', resource: 'docs/document/a%2Fb' },
    'role_assignment/docs/viewer//subject/user/anne//docs/document/a%2Fb',
  ],
  [
    'group_membership',
    { group: 'finance', entity_type: 'group', entity: 'accounting' },
    'group_membership/finance//group/accounting',
  ],
  [
    'access_rule',
    { name: 'no externals', never: { actions: ['*'], resources: { types: ['*'] } } },
    'access_rule/no%20externals',
  ],
  ['api_key', { name: 'ci', scopes: ['bundle'] }, 'api_key/ci'],
  ['oauth_client', { name: 'ci', scopes: ['records:write'] }, 'oauth_client/ci'],
];

describe('addresses', () => {
  it.each(addresses)('%s %j', (kind, fields, expected) => {
    const address = addressOf(kind, definitionOf(kind).schema.parse(fields));
    expect(address).toBe(expected);
    expect(splitAddress(address).kind).toBe(kind);
  });

  it('give back the names they were made of', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), (parts) => {
        expect(names(path(...parts))).toEqual(parts);
        expect(path(...parts).split('/')).toHaveLength(parts.length);
      }),
    );
  });

  it('leave readable names alone', () => {
    expect(encodeSegment('Zürich:INV-1@x.y_z~(1)')).toBe('Zürich:INV-1@x.y_z~(1)');
  });

  it.each(['%', '%zz', 'a%2'])('refuse the malformed escape %s', (text) => {
    expect(() => decodeSegment(text)).toThrow(/malformed percent escape/);
  });

  it.each(['', 'role', 'role/', 'rolle/x', '/x'])('refuse "%s" as an address', (text) => {
    expect(() => splitAddress(text)).toThrow(/is no address/);
  });
});

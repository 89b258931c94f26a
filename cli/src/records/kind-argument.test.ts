import { KINDS } from '@authz-service/core/records/kinds';
import { describe, expect, it } from 'vitest';
import { kindOf, plural, splitTarget } from './kind-argument.js';

describe('kindOf', () => {
  it.each(KINDS)('knows %s in every spelling', (kind) => {
    const spellings = [
      kind,
      plural(kind),
      kind.replaceAll('_', '-'),
      plural(kind).replaceAll('_', '-'),
      kind.toUpperCase(),
    ];
    for (const word of spellings) expect(kindOf(word)).toBe(kind);
  });

  it.each([
    ['polices', /Did you mean "policies"/],
    ['xyzzyx', /Kinds are: applications, resource-types/],
  ])('refuses %s', (word, message) => {
    expect(() => kindOf(word)).toThrow(message);
  });
});

describe('splitTarget', () => {
  it.each([
    ['roles', { kind: 'role' }],
    ['role/billing/accountant', { kind: 'role', path: 'billing/accountant' }],
    ['applications/billing', { kind: 'application', path: 'billing' }],
    ['resource-type/billing/invoice', { kind: 'resource_type', path: 'billing/invoice' }],
    ['policy_assignment/p//role/r', { kind: 'policy_assignment', path: 'p//role/r' }],
  ])('%s', (word, expected) => {
    expect(splitTarget(word)).toEqual(expected);
  });
});

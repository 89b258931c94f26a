import { expect, it } from 'vitest';
import { askedOf, faultsOf, inMode } from './question.js';

it.each([
  ['who', 'user', 'billing/invoice/INV-1'],
  ['what', 'user/bob', 'billing/invoice'],
  ['decide', 'user/bob', 'billing/invoice/INV-1'],
] as const)('keeps of a question in the mode %s what that asks about', (mode, subject, resource) => {
  const asked = askedOf({ subject: 'user/bob', action: 'read', resource: 'billing/invoice/INV-1' });
  const next = inMode(asked, mode);
  expect(next).toMatchObject({ mode, subject, resource, action: 'read' });
  expect(faultsOf(next)).toEqual({});
});

it('asks who may without a type of subjects', () => {
  expect(faultsOf(askedOf({ mode: 'who', action: 'read', resource: 'billing/invoice/INV-1' }))).toEqual({});
});

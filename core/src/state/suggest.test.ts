import { describe, expect, it } from 'vitest';
import { isSlip } from './suggest.js';

describe('isSlip', () => {
  it.each([
    ['billing/acountant', 'billing/accountant', true],
    ['billing/Accountant', 'billing/accountant', true],
    ['billing/invoiceapprover', 'billing/invoice-approver', true],
    ['biling/accountant', 'billing/accountant', true],
    ['payments/invoice-approver', 'payments/invoice-preparer', false],
    ['records/assign', 'records/unassign', false],
    ['doors/lock', 'doors/unlock', false],
    ['billing/clerk', 'billing/senior-clerk', false],
  ])('%s for %s: %s', (typed, meant, expected) => {
    expect(isSlip(typed, meant)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import type { Grant } from '../auth/credential.js';
import { tenantRead } from './refuse-old.js';

const tenants = {
  list: () => [
    { id: 't1', name: 'own', created_at: '' },
    { id: 't2', name: 'other', created_at: '' },
  ],
};

describe('the tenant whose age counts', () => {
  it.each<[Grant, unknown, string]>([
    ['operator', { tenant: 'other' }, 't2'],
    ['operator', { tenant: 't2' }, 't2'],
    ['operator', { tenant: 'nobody' }, 't1'],
    ['operator', {}, 't1'],
    ['operator', undefined, 't1'],
    ['records:read', { tenant: 'other' }, 't1'],
  ])('of a credential that may %s, asking with %j, is %s', (grant, query, wanted) => {
    expect(tenantRead({ tenants }, { tenant: 't1', grants: new Set([grant]) }, query)).toBe(wanted);
  });
});

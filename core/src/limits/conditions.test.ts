import { expect, it } from 'vitest';
import type { Kind } from '../records/kinds.js';
import type { Change } from '../state/change.js';
import { TenantState } from '../state/tenant-state.js';

const create = (kind: Kind, fields: Record<string, unknown>): Change => ({ op: 'create', kind, fields });
let ids = 0;
const options = { now: new Date(0), newId: () => `id-${++ids}`, revision: 1 };

it('lets a limited writer ask for the groups and roles of others in a condition', () => {
  const state = new TenantState();
  const theirs = [
    ...['billing', 'hr'].map((name) => create('application', { name })),
    create('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }),
    create('role', { application: 'hr', name: 'manager' }),
    create('group', { name: 'staff' }),
  ];
  state.commit(state.stage(theirs, { ...options, stack: 'hr' }));
  const policy = create('policy', {
    ...{ application: 'billing', name: 'p', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['read'] },
    condition: 'subject.in_group("staff") && subject.has_role("hr/manager")',
  });
  const writer = { name: 'ci', limits: { stacks: ['billing'], applications: ['billing'] } };
  state.commit(state.stage([policy], { ...options, stack: 'billing', writer }));
  // Whoever renames what is asked for rewrites the condition, without a right to the policy.
  const hr = { name: 'hr-ci', limits: { stacks: ['hr'], applications: ['hr'] } };
  const rename: Change = { op: 'move', from: 'role/hr/manager', to: 'role/hr/head' };
  state.commit(state.stage([rename], { ...options, stack: 'hr', writer: hr }));
  expect(state.get('policy/billing/p')?.fields).toMatchObject({
    condition: 'subject.in_group("staff") && subject.has_role("hr/head")',
  });
});

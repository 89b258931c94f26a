import { describe, expect, it } from 'vitest';
import type { ProblemError } from '../problem.js';
import type { StoredRecord } from '../records/registry.js';
import type { Change } from './change.js';
import { TenantState } from './tenant-state.js';

let ids = 0;
const at = (revision: number) => ({ now: new Date(0), newId: () => `id-${++ids}`, revision });
const create = (kind: StoredRecord['kind'], fields: Record<string, unknown>): Change => ({
  op: 'create',
  kind,
  fields,
});
const move = (from: string, to: string): Change => ({ op: 'move', from, to });

const TENANT: Change[] = [
  create('application', { name: 'billing' }),
  create('application', { name: 'shop' }),
  create('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }),
  create('resource', { type: 'billing/invoice', name: 'INV/1' }),
  create('resource', { type: 'billing/invoice', name: 'INV/2' }),
  create('subject', { type: 'user', id: 'alice' }),
  create('role', { application: 'billing', name: 'clerk' }),
  create('role', { application: 'billing', name: 'chief' }),
  create('role', { name: 'auditor' }),
  create('group', { name: 'finance' }),
  create('group', { name: 'staff' }),
  create('policy', {
    application: 'billing',
    name: 'read',
    effect: 'ALLOW',
    resource_type: 'billing/invoice',
    actions: ['read'],
  }),
  create('policy', {
    name: 'two',
    effect: 'ALLOW',
    resources: [
      { resource: 'billing/invoice/INV%2F1', actions: ['read'] },
      { resource: 'billing/invoice/INV%2F2', actions: ['*'] },
    ],
  }),
  create('policy_assignment', { policy: 'billing/read', entity_type: 'role', entity: 'billing/clerk' }),
  create('role_assignment', { role: 'billing/clerk', entity_type: 'subject', entity: 'user/alice' }),
  create('group_membership', { group: 'staff', entity_type: 'group', entity: 'finance' }),
  create('group_membership', { group: 'finance', entity_type: 'subject', entity: 'user/alice' }),
];

function tenant(): TenantState {
  const state = new TenantState();
  state.commit(state.stage(TENANT, at(1)));
  return state;
}

/** Returns what became of each record that changed: the old address, or nothing for a new one, and the new address. */
function moved(changes: Change[]): { state: TenantState; renamed: Record<string, string> } {
  const state = tenant();
  const idBefore = new Map([...state.records()].map((record) => [record.id, record.address]));
  const staged = state.stage(changes, at(2));
  const renamed: Record<string, string> = {};
  for (const { record, previous } of staged.put) {
    if (previous && record.kind !== 'subject') expect(idBefore.get(record.id)).toBe(previous.address);
    renamed[previous?.address ?? ''] = record.address;
  }
  state.commit(staged);
  for (const record of state.records()) expect(state.find(record.kind, record.id)).toBe(record);
  return { state, renamed };
}

describe('moves', () => {
  it('of an application take along everything of it and everything that mentions that', () => {
    const { state, renamed } = moved([move('application/billing', 'application/payments')]);
    expect(renamed).toEqual({
      'application/billing': 'application/payments',
      'resource_type/billing/invoice': 'resource_type/payments/invoice',
      'resource/billing/invoice/INV%2F1': 'resource/payments/invoice/INV%2F1',
      'resource/billing/invoice/INV%2F2': 'resource/payments/invoice/INV%2F2',
      'role/billing/clerk': 'role/payments/clerk',
      'role/billing/chief': 'role/payments/chief',
      'policy/billing/read': 'policy/payments/read',
      'policy/two': 'policy/two',
      'policy_assignment/billing/read//role/billing/clerk': 'policy_assignment/payments/read//role/payments/clerk',
      'role_assignment/billing/clerk//subject/user/alice': 'role_assignment/payments/clerk//subject/user/alice',
    });
    expect(state.get('policy/two')?.fields).toMatchObject({
      resources: [{ resource: 'payments/invoice/INV%2F1' }, { resource: 'payments/invoice/INV%2F2' }],
    });
    expect(state.get('policy/payments/read')?.fields).toMatchObject({ resource_type: 'payments/invoice' });
  });

  it('of groups and roles rewrite the conditions that ask for them, and nothing else in these', () => {
    const condition = [
      '// subject.in_group("finance")',
      'subject.in_group( // the people',
      '"finance") && !subject.has_role(\'billing/clerk\') &&',
      'subject.has_role("auditor") && "subject.in_group(\\"finance\\")" != r"\\d" + \'.in_group("finance")\'',
    ].join('\n');
    const fields = { name: 'asks', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['read'], condition };
    const { state, renamed } = moved([create('policy', fields)]);
    expect(renamed).toEqual({ '': 'policy/asks' });
    const moves = [
      move('group/finance', 'group/the%20"money"'),
      move('role/billing/clerk', 'role/billing/c'),
      move('role/auditor', "role/auditor's"),
    ];
    state.commit(state.stage(moves, at(3)));
    expect(state.get('policy/asks')?.fields).toMatchObject({
      condition: condition
        .replace('\n"finance"', '\n\'the%20"money"\'')
        .replace("'billing/clerk'", "'billing/c'")
        .replace('"auditor"', '"auditor\'s"'),
    });
    expect([...state.inbound("role/auditor's")]).toEqual(['policy/asks']);
    // A name with both quotes cannot be written in a condition.
    expect(() => state.stage([move('role/billing/c', `role/billing/c"'`)], at(4))).toThrow(/does not exist/);
  });

  it('of a subject change its id, which is its path', () => {
    const { state } = moved([move('subject/user/alice', 'subject/user/alice%2Fhome')]);
    expect(state.find('subject', 'user/alice')).toBeUndefined();
    expect(state.find('subject', 'user/alice%2Fhome')?.fields).toEqual({ type: 'user', id: 'alice/home' });
  });

  it.each<[string, Change[], Record<string, string>]>([
    [
      'swap two records',
      [move('role/billing/clerk', 'role/billing/chief'), move('role/billing/chief', 'role/billing/clerk')],
      {
        'role/billing/clerk': 'role/billing/chief',
        'role/billing/chief': 'role/billing/clerk',
        'policy_assignment/billing/read//role/billing/clerk': 'policy_assignment/billing/read//role/billing/chief',
        'role_assignment/billing/clerk//subject/user/alice': 'role_assignment/billing/chief//subject/user/alice',
      },
    ],
    [
      'make room for each other',
      [move('group/finance', 'group/staff'), move('group/staff', 'group/all')],
      {
        'group/finance': 'group/staff',
        'group/staff': 'group/all',
        'group_membership/staff//group/finance': 'group_membership/all//group/staff',
        'group_membership/finance//subject/user/alice': 'group_membership/staff//subject/user/alice',
      },
    ],
    [
      'rename within what is renamed',
      [move('application/shop', 'application/store'), move('role/auditor', 'role/store/auditor')],
      { 'application/shop': 'application/store', 'role/auditor': 'role/store/auditor' },
    ],
    [
      'take a role out of its application',
      [move('role/billing/chief', 'role/chief')],
      { 'role/billing/chief': 'role/chief' },
    ],
    [
      'change what a link joins',
      [move('role_assignment/billing/clerk//subject/user/alice', 'role_assignment/auditor//group/staff')],
      { 'role_assignment/billing/clerk//subject/user/alice': 'role_assignment/auditor//group/staff' },
    ],
    [
      'go together with an update of the new address',
      [
        move('role/auditor', 'role/reviewer'),
        { op: 'update', address: 'role/reviewer', fields: { name: 'reviewer', description: 'Looks.' } },
      ],
      { 'role/auditor': 'role/reviewer' },
    ],
    [
      'leave the old address to a new record',
      [move('role/auditor', 'role/reviewer'), create('role', { name: 'auditor' })],
      { 'role/auditor': 'role/reviewer', '': 'role/auditor' },
    ],
    [
      'let new records mention the new address',
      [
        move('role/auditor', 'role/reviewer'),
        create('role_assignment', { role: 'reviewer', entity_type: 'group', entity: 'staff' }),
      ],
      { 'role/auditor': 'role/reviewer', '': 'role_assignment/reviewer//group/staff' },
    ],
  ])('%s', (_, changes, expected) => {
    expect(moved(changes).renamed).toEqual(expected);
  });

  it('go together with a deletion at the new address', () => {
    const state = tenant();
    const before = state.get('role/auditor');
    const staged = state.stage(
      [move('role/auditor', 'role/reviewer'), { op: 'delete', address: 'role/reviewer' }],
      at(2),
    );
    expect(staged).toEqual({ put: [], remove: [before], created: [] });
    state.commit(staged);
    expect(state.get('role/auditor')).toBeUndefined();
  });

  it.each<[string, Change[], string, string]>([
    ['of what does not exist', [move('role/nobody', 'role/x')], 'conflict', '"role/nobody" does not exist'],
    [
      'to where another record stands',
      [move('role/billing/clerk', 'role/auditor')],
      'conflict',
      'such a record already',
    ],
    [
      'of two records to one address',
      [move('role/billing/clerk', 'role/x'), move('role/auditor', 'role/x')],
      'conflict',
      'such a record already',
    ],
    [
      'of one record to two addresses',
      [move('role/auditor', 'role/x'), move('role/auditor', 'role/y')],
      'conflict',
      'moved twice',
    ],
    [
      'to where a follower of another comes to stand',
      [
        move('group/finance', 'group/money'),
        move('group_membership/staff//group/finance', 'group_membership/money//subject/user/alice'),
      ],
      'conflict',
      'such a record already',
    ],
    ['to another kind', [move('role/auditor', 'group/auditor')], 'conflict', 'keeps the kind'],
    [
      'to an application that does not exist',
      [move('role/auditor', 'role/nowhere/auditor')],
      'invalid_records',
      'Application "nowhere"',
    ],
    [
      'to an address of too many names',
      [move('group/staff', 'group/a/b')],
      'conflict',
      '"group/a/b" is not an address',
    ],
    [
      'to an address with an empty name',
      [move('resource_type/billing/invoice', 'resource_type/billing/')],
      'conflict',
      'is not an address',
    ],
    [
      'to an address that is not encoded',
      [move('group/staff', 'group/all staff')],
      'conflict',
      'write "group/all%20staff"',
    ],
    [
      'to a link of one end',
      [move('role_assignment/billing/clerk//subject/user/alice', 'role_assignment/auditor')],
      'conflict',
      'is not an address',
    ],
    ['to a name that is too long', [move('group/staff', `group/${'x'.repeat(257)}`)], 'conflict', '256 characters'],
    [
      'from under the feet of new records',
      [
        move('role/auditor', 'role/reviewer'),
        create('role_assignment', { role: 'auditor', entity_type: 'group', entity: 'staff' }),
      ],
      'invalid_records',
      'Role "auditor" does not exist',
    ],
    [
      'that close a circle of groups',
      [move('group_membership/finance//subject/user/alice', 'group_membership/finance//group/staff')],
      'invalid_records',
      'finance → staff → finance',
    ],
  ])('are refused %s', (_, changes, code, detail) => {
    const state = tenant();
    let error: ProblemError | undefined;
    try {
      state.stage(changes, at(2));
    } catch (thrown) {
      error = thrown as ProblemError;
    }
    expect(error).toMatchObject({ code });
    expect(error?.errors.map((item) => item.detail).join('\n')).toContain(detail);
    expect(error?.errors[0]?.pointer).toMatch(/^\/changes\/\d/);
  });
});

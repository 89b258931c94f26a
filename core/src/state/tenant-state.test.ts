import { describe, expect, it } from 'vitest';
import { digestRecords } from '../bundle/digest.js';
import type { ProblemError } from '../problem.js';
import type { StoredRecord } from '../records/registry.js';
import type { Change, StageOptions } from './change.js';
import { TenantState } from './tenant-state.js';

const create = (kind: StoredRecord['kind'], fields: Record<string, unknown>): Change => ({
  op: 'create',
  kind,
  fields,
});
const assign = (role: string, entity: string): Change =>
  create('role_assignment', { role, entity_type: 'subject', entity });
const nest = (group: string, entity: string): Change =>
  create('group_membership', { group, entity_type: 'group', entity });

const BILLING: Change[] = [
  create('application', { name: 'billing' }),
  create('resource_type', {
    application: 'billing',
    name: 'invoice',
    actions: ['read', 'approve'],
    properties: { amount: 'number' },
  }),
  create('resource', { type: 'billing/invoice', name: 'INV-1', properties: { amount: 120 } }),
  create('subject', { type: 'user', id: 'alice' }),
  create('subject', { type: 'user', id: 'bob' }),
  create('role', { application: 'billing', name: 'clerk' }),
  create('role', { name: 'auditor' }),
  create('group', { name: 'finance' }),
  create('group', { name: 'accounting' }),
  create('policy', {
    application: 'billing',
    name: 'approve',
    effect: 'ALLOW',
    resource_type: 'billing/invoice',
    actions: ['approve', 'read'],
    condition: 'resource.properties.amount < 1000',
  }),
  create('policy', {
    name: 'one',
    effect: 'ALLOW',
    resources: [{ resource: 'billing/invoice/INV-1', actions: ['read'] }],
  }),
  create('policy_assignment', { policy: 'billing/approve', entity_type: 'role', entity: 'billing/clerk' }),
  assign('billing/clerk', 'user/alice'),
  create('role_assignment', { role: 'billing/clerk', entity_type: 'group', entity: 'finance' }),
  nest('finance', 'accounting'),
  create('group_membership', { group: 'accounting', entity_type: 'subject', entity: 'user/bob' }),
];

let ids = 0;
const at = (revision: number, more: Partial<StageOptions> = {}): StageOptions => ({
  now: new Date(Date.UTC(2026, 0, revision)),
  newId: () => `id-${++ids}`,
  revision,
  ...more,
});

function tenant(changes: Change[] = BILLING, options: Partial<StageOptions> = {}): TenantState {
  const state = new TenantState();
  state.commit(state.stage(changes, at(1, options)));
  return state;
}

function refusal(state: TenantState, changes: Change[], options: Partial<StageOptions> = {}): ProblemError {
  try {
    state.stage(changes, at(2, options));
  } catch (error) {
    return error as ProblemError;
  }
  throw new Error('nothing was refused');
}

const addresses = (state: TenantState) => [...state.records()].map(({ address }) => address).sort();

describe('TenantState', () => {
  it('makes what is created: ids, owner, times, revision', () => {
    const state = tenant(BILLING, { stack: 'main' });
    expect(state.size).toBe(BILLING.length);
    expect(state.get('role/billing/clerk')).toMatchObject({
      id: expect.stringMatching(/^id-/),
      managed_by: 'main',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      revision: 1,
    });
    expect(state.get('subject/user/alice')?.id).toBe('user/alice');
    expect(state.find('subject', 'user/alice')).toBe(state.get('subject/user/alice'));
    expect(tenant().get('role/auditor')?.managed_by).toBe('api');
    expect([...state.inbound('role/billing/clerk')].sort()).toEqual([
      'policy_assignment/billing/approve//role/billing/clerk',
      'role_assignment/billing/clerk//group/finance',
      'role_assignment/billing/clerk//subject/user/alice',
    ]);
    expect([...state.records('group')].map(({ address }) => address)).toEqual(['group/finance', 'group/accounting']);
  });

  it('says what was created in the order of the change-set, and puts in the order of dependency', () => {
    const staged = new TenantState().stage(BILLING.toReversed(), at(1));
    expect(staged.created.at(-1)).toBe('application/billing');
    expect(staged.put[0]?.record.address).toBe('application/billing');
  });

  it('updates a record and keeps its id, owner and time of creation', () => {
    const state = tenant();
    const before = state.get('role/auditor');
    const fields = { name: 'auditor', description: 'Looks.' };
    const staged = state.stage([{ op: 'update', address: 'role/auditor', fields }], at(2));
    expect(state.get('role/auditor')).toBe(before);
    state.commit(staged);
    expect(state.get('role/auditor')).toEqual({
      ...before,
      fields,
      updated_at: '2026-01-02T00:00:00.000Z',
      revision: 2,
    });
    expect(staged.put[0]?.previous).toBe(before);
  });

  it('makes nothing of an update that says the same', () => {
    const fields = {
      name: 'invoice',
      application: 'billing',
      properties: { amount: 'number' },
      actions: ['approve', 'read', 'read'],
    };
    const staged = tenant().stage([{ op: 'update', address: 'resource_type/billing/invoice', fields }], at(2));
    expect(staged).toEqual({ put: [], remove: [], created: [] });
  });

  it('takes away a field that an update leaves out', () => {
    const state = tenant([create('role', { name: 'auditor', description: 'Looks.' })]);
    const { put } = state.stage([{ op: 'update', address: 'role/auditor', fields: { name: 'auditor' } }], at(2));
    expect(put[0]?.record.fields).toEqual({ name: 'auditor' });
  });

  it('deletes what an update in the same change-set stops mentioning', () => {
    const note = { application: 'billing', name: 'note', actions: ['read'] };
    const state = tenant([...BILLING, create('resource_type', note)]);
    const fields = (name: string) => ({ name, effect: 'ALLOW', resource_type: 'billing/note', actions: ['read'] });
    const invoice: Change = { op: 'delete', address: 'resource/billing/invoice/INV-1' };
    const update: Change = { op: 'update', address: 'policy/one', fields: fields('one') };
    expect(state.stage([update, invoice], at(2)).remove).toHaveLength(1);
    const moved: Change[] = [
      { op: 'move', from: 'policy/one', to: 'policy/uno' },
      { op: 'update', address: 'policy/uno', fields: fields('uno') },
    ];
    expect(state.stage([...moved, invoice], at(2)).remove).toHaveLength(1);
  });

  it('deletes records together with those that mention them', () => {
    const state = tenant();
    const changes = [...state.inbound('role/billing/clerk'), 'role/billing/clerk'].map(
      (address): Change => ({ op: 'delete', address }),
    );
    state.commit(state.stage(changes, at(2)));
    expect(addresses(state).filter((address) => address.includes('clerk'))).toEqual([]);
    expect(state.digest()).toBe(digestRecords(state.records()));
  });

  it('makes a new record where one address is deleted and created', () => {
    const state = tenant();
    const before = state.get('group/finance');
    const staged = state.stage(
      [create('group', { name: 'finance' }), { op: 'delete', address: 'group/finance' }],
      at(2),
    );
    expect(staged.remove).toEqual([before]);
    expect(staged.put[0]?.previous).toBeUndefined();
    state.commit(staged);
    expect(state.get('group/finance')?.id).not.toBe(before?.id);
    expect([...state.inbound('group/finance')]).toHaveLength(2);
  });

  it('keeps credentials out of the digest', () => {
    const state = tenant();
    const before = state.digest();
    state.commit(state.stage([create('api_key', { name: 'agent', scopes: ['bundle'] })], at(2)));
    expect(state.digest()).toBe(before);
    state.commit(state.stage([{ op: 'delete', address: 'api_key/agent' }], at(3)));
    expect(state.digest()).toBe(before);
  });

  it('refuses to commit what was staged on another state, and stays as it is', () => {
    const state = tenant();
    const fields = { name: 'auditor', description: 'Looks.' };
    const change: Change[] = [
      { op: 'delete', address: 'policy/one' },
      { op: 'update', address: 'role/auditor', fields },
    ];
    const staged = state.stage(change, at(2));
    state.commit(
      state.stage(
        [{ op: 'update', address: 'role/auditor', fields: { name: 'auditor', description: 'Sees.' } }],
        at(2),
      ),
    );
    const before = state.digest();
    expect(() => state.commit(staged)).toThrow('role/auditor');
    expect(state.digest()).toBe(before);
    expect(state.get('policy/one')).toBeDefined();
  });

  it.each<[string, Change[], string, Partial<ProblemError['errors'][number]>[]]>([
    [
      'fields of a wrong type, all at once',
      [create('role', { name: 1 }), create('group', { name: 'ok' }), create('subject', { type: 'user' })],
      'invalid_records',
      [{ pointer: '/changes/0/fields/name' }, { pointer: '/changes/2/fields/id' }],
    ],
    [
      'an unknown field, naming the nearest',
      [create('role', { name: 'x', descripton: 'y' })],
      'invalid_records',
      [
        {
          pointer: '/changes/0/fields/descripton',
          detail: 'the key "descripton" is not known: did you mean "description"?',
        },
      ],
    ],
    [
      'a reference that dangles, naming the nearest',
      [assign('billing/clark', 'user/alice')],
      'invalid_records',
      [
        {
          pointer: '/changes/0/fields/role',
          detail: 'Role "billing/clark" does not exist: did you mean "billing/clerk"?',
          address: 'role_assignment/billing/clark//subject/user/alice',
        },
      ],
    ],
    [
      'a reference to what the same change-set deletes',
      [{ op: 'delete', address: 'role/auditor' }, assign('auditor', 'user/alice')],
      'invalid_records',
      [{ pointer: '/changes/1/fields/role' }],
    ],
    [
      'a circle of groups, named whole',
      [create('group', { name: 'ledger' }), nest('accounting', 'ledger'), nest('ledger', 'finance')],
      'invalid_records',
      [
        {
          detail: expect.stringMatching(
            /(finance → accounting → ledger → finance|accounting → ledger → finance → accounting|ledger → finance → accounting → ledger)\. /,
          ),
        },
      ],
    ],
    [
      'a group in itself',
      [nest('finance', 'finance')],
      'invalid_records',
      [{ pointer: '/changes/0/fields/entity', detail: expect.stringContaining('finance → finance') }],
    ],
    [
      'taking an action from a type that a policy still covers',
      [
        {
          op: 'update',
          address: 'resource_type/billing/invoice',
          fields: { application: 'billing', name: 'invoice', actions: ['approve'], properties: { amount: 'number' } },
        },
      ],
      'invalid_records',
      [
        { pointer: '/changes/0', address: 'policy/one', detail: expect.stringContaining('no action "read"') },
        { pointer: '/changes/0', address: 'policy/billing/approve' },
      ],
    ],
    [
      'another type for a property that resources and conditions use',
      [
        {
          op: 'update',
          address: 'resource_type/billing/invoice',
          fields: {
            application: 'billing',
            name: 'invoice',
            actions: ['approve', 'read'],
            properties: { amount: 'string' },
          },
        },
      ],
      'invalid_records',
      [{ address: 'resource/billing/invoice/INV-1' }, { address: 'policy/billing/approve' }],
    ],
    [
      'creating what exists',
      [create('role', { name: 'auditor' })],
      'conflict',
      [{ pointer: '/changes/0', address: 'role/auditor', detail: expect.stringContaining('exists already') }],
    ],
    [
      'creating a credential that exists',
      [
        create('api_key', { name: 'ci', scopes: ['decisions'] }),
        create('api_key', { name: 'ci', scopes: ['decisions'] }),
      ],
      'conflict',
      [
        { address: 'api_key/ci', detail: expect.stringContaining('join them in one') },
        { address: 'api_key/ci', detail: expect.stringContaining('exists already: remove it first') },
      ],
    ],
    [
      'updating and deleting what does not exist, both',
      [
        { op: 'update', address: 'role/nobody', fields: { name: 'nobody' } },
        { op: 'delete', address: 'group/nobody' },
      ],
      'conflict',
      [{ address: 'group/nobody' }, { address: 'role/nobody' }],
    ],
    [
      'an update that would rename',
      [{ op: 'update', address: 'role/auditor', fields: { name: 'reviewer' } }],
      'conflict',
      [{ pointer: '/changes/0/fields', detail: expect.stringContaining('rename a record by a move') }],
    ],
    [
      'two changes at one address',
      [
        { op: 'update', address: 'role/auditor', fields: { name: 'auditor', description: '1' } },
        { op: 'update', address: 'role/auditor', fields: { name: 'auditor', description: '2' } },
      ],
      'conflict',
      [{ pointer: '/changes/1', address: 'role/auditor' }],
    ],
    [
      'deleting a role that is still assigned',
      [
        { op: 'delete', address: 'policy_assignment/billing/approve//role/billing/clerk' },
        { op: 'delete', address: 'role/billing/clerk' },
      ],
      'conflict',
      [
        {
          pointer: '/changes/1',
          detail:
            'Role "billing/clerk" is still assigned to 1 subject and 1 group (group/finance, subject/user/alice): remove those assignments first.',
        },
      ],
    ],
    [
      'deleting a role under its old name and making it under a new one',
      [
        { op: 'delete', address: 'role/billing/clerk' },
        { op: 'create', kind: 'role', fields: { application: 'billing', name: 'bookkeeper' } },
      ],
      'conflict',
      [
        {
          detail: expect.stringMatching(
            /remove or change those first\. If you have renamed it, declare that, and they follow: "moved: \[\{ from: role\/billing\/clerk, to: role\/billing\/bookkeeper \}\]"\.$/,
          ),
        },
      ],
    ],
    [
      'deleting an application with all its things',
      [{ op: 'delete', address: 'application/billing' }],
      'conflict',
      [
        {
          detail:
            'Application "billing" is still used by 1 resource type, 1 role and 1 policy (policy/billing/approve, resource_type/billing/invoice, role/billing/clerk): remove or change those first.',
        },
      ],
    ],
  ])('refuses %s', (_, changes, code, errors) => {
    const state = tenant();
    const before = addresses(state);
    const error = refusal(state, changes);
    expect(error).toMatchObject({ code, errors: errors.map((item) => expect.objectContaining(item)) });
    expect(error.errors).toHaveLength(errors.length);
    expect(addresses(state)).toEqual(before);
  });

  it('names three of many mentions and counts the rest', () => {
    const users = Array.from({ length: 12 }, (_, index) => `u${index}`);
    const state = tenant([
      create('role', { name: 'reader' }),
      ...users.map((id) => create('subject', { type: 'user', id })),
      ...users.map((id) => assign('reader', `user/${id}`)),
    ]);
    expect(refusal(state, [{ op: 'delete', address: 'role/reader' }]).detail).toBe(
      'Role "reader" is still assigned to 12 subjects (subject/user/u0, subject/user/u1, subject/user/u10 and 9 more): remove those assignments first.',
    );
  });
});

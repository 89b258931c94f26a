import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, link, TwoTeams } from '../../testing/two-teams.js';

let teams: TwoTeams;
beforeAll(async () => {
  teams = await TwoTeams.start();
});
afterAll(() => teams.close());

const policy = (fields: object) =>
  create('policy', {
    application: 'billing',
    name: 'new',
    effect: 'ALLOW',
    resource_type: 'billing/paper',
    actions: ['read'],
    ...fields,
  });
const PAGE = { application: 'billing', name: 'page', actions: [] };
const on = (role: string, resource: string) => {
  const { fields } = link('role_assignment', role, 'subject/user/mallory');
  return create('role_assignment', { ...fields, resource });
};
const credential = (limits?: object) => create('api_key', { name: 'new', scopes: ['records:write'], limits });

/** Each is asked by the billing team and taken back by the administrator, so that no row depends on another. */
describe('what a team may write within its limits', () => {
  it.each<[name: string, changes: object[]]>([
    [
      'a type, a resource, a role and a policy of its application',
      [
        create('resource_type', { application: 'billing', name: 'new', actions: [] }),
        create('resource', { type: 'billing/new', name: 'new' }),
        create('role', { application: 'billing', name: 'new' }),
        policy({ priority: 100 }),
      ],
    ],
    [
      'a group of its stack, and a member of it',
      [create('group', { name: 'new' }), link('group_membership', 'new', 'subject/user/mallory')],
    ],
    ['a policy over a type that is shared with it', [policy({ resource_type: 'shipping/shared' })]],
    [
      'a policy over a resource that is shared with it',
      [
        policy({
          resource_type: undefined,
          actions: undefined,
          resources: [{ resource: 'shipping/paper/shared', actions: ['read'] }],
        }),
      ],
    ],
    [
      'a policy over a resource of a type that is shared with it',
      [
        policy({
          resource_type: undefined,
          actions: undefined,
          resources: [{ resource: 'shipping/shared/of-shared-type', actions: ['read'] }],
        }),
      ],
    ],
    [
      'a policy over several types, one of them shared, and one over all of its application',
      [
        policy({ resource_type: undefined, resource_types: ['billing/paper', 'shipping/shared'] }),
        policy({ name: 'all', resource_type: undefined, resource_types: ['*'] }),
      ],
    ],
    [
      'a role that includes its own and a shared one',
      [create('role', { application: 'billing', name: 'new', includes: ['billing/clerk', 'shipping/shared'] })],
    ],
    ['its role for everyone', [link('role_assignment', 'billing/clerk', 'everyone/*')]],
    [
      'its role on its resource, and on a shared one',
      [on('billing/clerk', 'billing/paper/one'), on('billing/clerk', 'shipping/paper/shared')],
    ],
    [
      'a type whose parents are of a shared type, and a resource in a shared one',
      [
        create('resource_type', { ...PAGE, parents: [{ type: 'shipping/shared', property: 'in' }] }),
        create('resource', { type: 'billing/page', name: 'one', parents: ['shipping/shared/of-shared-type'] }),
      ],
    ],
    ['its role for anybody', [link('role_assignment', 'billing/clerk', 'group/everybody')]],
    ['its policy for a role of somebody else', [link('policy_assignment', 'billing/sign', 'role/shipping/clerk')]],
    ['a role that is shared with it', [link('role_assignment', 'shipping/shared', 'subject/user/mallory')]],
    ['a policy that is shared with it', [link('policy_assignment', 'shipping/shared', 'role/billing/clerk')]],
    ['a member of a group that is shared with it', [link('group_membership', 'on-call', 'subject/user/mallory')]],
    [
      'whom it shares its own with',
      [
        {
          op: 'update',
          address: 'role/billing/clerk',
          fields: { application: 'billing', name: 'clerk', shared_with: ['shipping'] },
        },
      ],
    ],
    [
      'its application itself',
      [{ op: 'update', address: 'application/billing', fields: { name: 'billing', description: 'ours' } }],
    ],
    [
      'a credential with its own limits',
      [credential({ stacks: ['billing'], applications: ['billing'], priority_max: 100 })],
    ],
    [
      'a credential with narrower limits',
      [credential({ stacks: ['billing'], applications: ['billing'], priority_max: 7 })],
    ],
  ])('%s', async (name, changes) => {
    const stack = name.startsWith('its application') ? { take_ownership: true } : {};
    const as = name.startsWith('its application') ? await ofBothStacks() : undefined;
    const { status, body } = await teams.ask(changes, stack, as);
    expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
    const undo = body.created.map(({ address }: { address: string }) => ({ op: 'delete', address }));
    expect((await teams.ask(undo, { take_ownership: true }, teams.admin)).status).toBe(200);
  });
});

const ofBothStacks = () =>
  teams.cloud.key(teams.admin, ['records:write'], {
    limits: { stacks: ['billing', 'platform'], applications: ['billing'] },
  });

describe('what a team cannot write', () => {
  const UPDATE_SIGN = {
    application: 'shipping',
    name: 'sign',
    effect: 'DENY',
    resource_type: 'shipping/paper',
    actions: ['*'],
  };
  it.each<[name: string, changes: object[], detail: RegExp]>([
    [
      "a policy over another application's type",
      [policy({ resource_type: 'shipping/paper' })],
      /"policy\/billing\/new" uses "resource_type\/shipping\/paper", which lies in the application "shipping", and the credential "key-\w+" is limited to the application "billing": have its owner list one of these in its shared_with/,
    ],
    [
      "a policy over another application's resource",
      [
        policy({
          resource_type: undefined,
          actions: undefined,
          resources: [{ resource: 'shipping/paper/one', actions: ['read'] }],
        }),
      ],
      /uses "resource\/shipping\/paper\/one"/,
    ],
    [
      "a policy over several types, one of them another application's",
      [policy({ resource_type: undefined, resource_types: ['billing/paper', 'shipping/paper'] })],
      /uses "resource_type\/shipping\/paper"/,
    ],
    [
      'a shared role for everyone',
      [link('role_assignment', 'shipping/shared', 'everyone/user')],
      /would give "role\/shipping\/shared" to everyone, but the credential/,
    ],
    [
      'its role for everyone, with a shared policy assigned to it',
      [
        link('policy_assignment', 'shipping/shared', 'role/billing/clerk'),
        link('role_assignment', 'billing/clerk', 'everyone/*'),
      ],
      /would give "policy\/shipping\/shared" to everyone/,
    ],
    [
      'a role for everyone that includes one that includes a shared one',
      [
        create('role', { application: 'billing', name: 'inner', includes: ['shipping/shared'] }),
        create('role', { application: 'billing', name: 'outer', includes: ['billing/inner'] }),
        link('role_assignment', 'billing/outer', 'everyone/user'),
      ],
      /would give "role\/shipping\/shared" to everyone/,
    ],
    [
      "a role that includes another application's",
      [create('role', { application: 'billing', name: 'new', includes: ['shipping/clerk'] })],
      /uses "role\/shipping\/clerk"/,
    ],
    [
      'a role of the tenant included in its own',
      [create('role', { application: 'billing', name: 'new', includes: ['auditor'] })],
      /uses "role\/auditor", which belongs to the tenant/,
    ],
    [
      "its role on another application's resource",
      [on('billing/clerk', 'shipping/paper/one')],
      /uses "resource\/shipping\/paper\/one"/,
    ],
    [
      "a type whose parents are of another application's type",
      [create('resource_type', { ...PAGE, parents: [{ type: 'shipping/paper', property: 'in' }] })],
      /uses "resource_type\/shipping\/paper"/,
    ],
    [
      "a resource in another application's",
      [
        create('resource_type', { ...PAGE, parents: [{ type: 'shipping/shared', property: 'in' }] }),
        create('resource', { type: 'billing/page', name: 'one', parents: ['shipping/paper/one'] }),
      ],
      /uses "resource\/shipping\/paper\/one"/,
    ],
    [
      'a policy in another application',
      [policy({ application: 'shipping' })],
      /"policy\/shipping\/new" lies in the application "shipping"/,
    ],
    ['a policy of the tenant', [policy({ application: undefined })], /"policy\/new" belongs to the tenant/],
    ['a role of the tenant', [create('role', { name: 'new' })], /"role\/new" belongs to the tenant/],
    [
      'a policy above its highest priority',
      [policy({ priority: 101 })],
      /"policy\/billing\/new" has the priority 101, and the credential "key-\w+" is limited to priorities up to 100/,
    ],
    ['a subject', [create('subject', { type: 'user', id: 'new' })], /"subject\/user\/new" belongs to the tenant/],
    [
      'what subjects of a type have',
      [create('subject_type', { name: 'robot', properties: { owner: 'string' } })],
      /"subject_type\/robot" belongs to the tenant, and the credential "key-\w+" is limited to the application "billing"/,
    ],
    [
      'a change of what subjects of a type have',
      [{ op: 'update', address: 'subject_type/user', fields: { name: 'user', properties: { region: 'number' } } }],
      /"subject_type\/user" belongs to the (tenant|stack "platform")/,
    ],
    [
      'an attribute of the context',
      [create('context_attribute', { name: 'channel', type: 'string' })],
      /"context_attribute\/channel" belongs to the tenant, and the credential/,
    ],
    [
      'a removal of an attribute of the context',
      [{ op: 'delete', address: 'context_attribute/purpose' }],
      /"context_attribute\/purpose" belongs to the (tenant|stack "platform")/,
    ],
    [
      'another application',
      [create('application', { name: 'new' })],
      /"application\/new" lies in the application "new"/,
    ],
    [
      'a type of another application',
      [create('resource_type', { application: 'shipping', name: 'new', actions: [] })],
      /"resource_type\/shipping\/new" lies in/,
    ],
    [
      'a resource of another application, though its type is shared',
      [create('resource', { type: 'shipping/shared', name: 'new' })],
      /"resource\/shipping\/shared\/new" lies in/,
    ],
    [
      "a holder of another application's role",
      [link('role_assignment', 'shipping/clerk', 'subject/user/mallory')],
      /uses "role\/shipping\/clerk"/,
    ],
    [
      'a holder of a role of the tenant',
      [link('role_assignment', 'auditor', 'subject/user/mallory')],
      /uses "role\/auditor", which belongs to the tenant/,
    ],
    [
      "an assignee of another application's policy",
      [link('policy_assignment', 'shipping/sign', 'role/billing/clerk')],
      /uses "policy\/shipping\/sign"/,
    ],
    [
      "a member of another stack's group",
      [link('group_membership', 'shipping-team', 'subject/user/mallory')],
      /uses "group\/shipping-team", which lies in no application and belongs to the stack "shipping", and the credential "key-\w+" is limited to the stack "billing"/,
    ],
    [
      "its group in another stack's group",
      [link('group_membership', 'everybody', 'group/billing-team')],
      /uses "group\/everybody"/,
    ],
    [
      'its role moved into another application',
      [{ op: 'move', from: 'role/billing/clerk', to: 'role/shipping/mine' }],
      /"role\/shipping\/mine" lies in/,
    ],
    [
      'its application under another name',
      [{ op: 'move', from: 'application/billing', to: 'application/mine' }],
      /"application\/mine" lies in the application "mine"|belongs to the stack "platform"/,
    ],
    [
      'an unlimited credential',
      [credential()],
      /"api_key\/new" has no limits, which is not within those of the credential "key-\w+" \(the stack "billing", the application "billing", priorities up to 100\)/,
    ],
    [
      'a credential for another stack',
      [credential({ stacks: ['billing', 'shipping'], applications: ['billing'], priority_max: 100 })],
      /is limited to the stacks "billing", "shipping"/,
    ],
    [
      'a credential for another application',
      [credential({ stacks: ['billing'], applications: ['shipping'], priority_max: 100 })],
      /is not within/,
    ],
    [
      'a credential without one of its limits',
      [credential({ stacks: ['billing'], applications: ['billing'] })],
      /is not within/,
    ],
    [
      'a credential of a higher priority',
      [credential({ stacks: ['billing'], applications: ['billing'], priority_max: 101 })],
      /is not within/,
    ],
    [
      "a change of another stack's policy",
      [{ op: 'update', address: 'policy/shipping/sign', fields: UPDATE_SIGN }],
      /"policy\/shipping\/sign" belongs to the stack "shipping"/,
    ],
    [
      "a removal of another stack's link",
      [{ op: 'delete', address: 'role_assignment/shipping/clerk//subject/user/alice' }],
      /belongs to the stack "shipping"/,
    ],
    [
      "another stack's role adopted",
      [{ op: 'adopt', address: 'role/shipping/clerk' }],
      /belongs to the stack "shipping"/,
    ],
    ["another stack's group adopted", [{ op: 'adopt', address: 'group/on-call' }], /belongs to the stack "platform"/],
    [
      "another stack's group renamed",
      [{ op: 'move', from: 'group/on-call', to: 'group/mine' }],
      /belongs to the stack "platform"/,
    ],
  ])('%s', async (_, changes, detail) => {
    const before = await revision();
    const { status, body } = await teams.ask(changes, { take_ownership: true, exclusive: true });
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 403,
      code: 'outside_limits',
      detail: expect.stringMatching(detail),
    });
    expect(body.errors[0].pointer).toMatch(/^\/changes\/[012]/);
    expect(await revision()).toBe(before);
  });

  it('anything without naming a stack, or for another one', async () => {
    for (const [body, detail] of [
      [{ changes: [] }, /has to name the stack that it writes for: give it as "stack"/],
      [
        { stack: 'shipping', changes: [] },
        /is limited to the stack "billing" and cannot write for the stack "shipping"/,
      ],
    ] as const) {
      const answer = await teams.cloud.ask('POST', '/v1/changesets', { as: teams.writers.billing, body });
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        403,
        'outside_limits',
        expect.stringMatching(detail),
      ]);
    }
  });
});

const revision = async () => (await teams.cloud.ask('GET', '/v1/state', { as: teams.admin })).body.revision;

/** Tries to slip a grant past access rules, against a cloud that runs: what is refused changes nothing. */
import { readManifest } from '@authz-service/core/manifest/read';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ATTACKED_TENANT } from './attacked-tenant.js';
import { type CloudBench, Workbench } from './cli/workbench.js';

let bench: Workbench;
let cloud: CloudBench;
let admin: ServiceClient;

beforeAll(async () => {
  bench = await Workbench.create();
  cloud = await bench.startCloud();
});
afterAll(() => bench.close());

beforeEach(async () => {
  const { SERVICE_CLIENT_ID: clientId = '', SERVICE_CLIENT_SECRET: clientSecret = '' } = await cloud.tenant();
  admin = new ServiceClient({ url: cloud.url, credentials: { clientId, clientSecret } });
  const { manifest } = readManifest([{ path: 'tenant.yaml', text: ATTACKED_TENANT }]);
  const changes = (manifest?.records ?? []).map(({ kind, fields }) => ({ op: 'create' as const, kind, fields }));
  // Eve reads what may be said to lie in both folders: that stands when the rules come.
  await commit(...(changes.filter(({ kind }) => kind !== 'access_rule') as Change[]));
  await commit(...(changes.filter(({ kind }) => kind === 'access_rule') as Change[]));
});

type Change = Parameters<ServiceClient['changeset']>[0]['changes'][number];
const commit = async (...changes: Change[]) => admin.changeset({ changes });
const add = (kind: string, fields: object) => ({ op: 'create', kind, fields }) as unknown as Change;
const change = (address: string, fields: object) => ({ op: 'update', address, fields }) as unknown as Change;
const drop = (address: string) => ({ op: 'delete', address }) as unknown as Change;
const assign = (policy: string, to: string, more = {}) => add('policy_assignment', { policy, ...entity(to), ...more });
const member = (group: string, who: string, more = {}) => add('group_membership', { group, ...entity(who), ...more });
const hold = (role: string, who: string, more = {}) => add('role_assignment', { role, ...entity(who), ...more });

function entity(to: string) {
  const slash = to.indexOf('/');
  return { entity_type: to.slice(0, slash), entity: to.slice(slash + 1) };
}

const EVE = 'subject/user/eve';
const policy = (fields: object) => ({ application: 'payroll', effect: 'ALLOW', ...fields });
const ruleOf = async (name: string) =>
  (await admin.state()).records.find(({ address }) => address === `access_rule/${name}`)?.fields as object;
/** A client with an API key of its own. */
async function robotWith(fields: object): Promise<ServiceClient> {
  const made = await admin.records('api_key').create({ name: 'robot', ...fields } as never);
  return new ServiceClient({ url: cloud.url, credentials: { apiKey: (made as { secret?: string }).secret ?? '' } });
}
const IN_SAFE = { resource: 'payroll/drive/safe' };
const LATER = '2999-01-01T00:00:00Z';

const ATTACKS: [how: string, changes: () => Change[] | Promise<Change[]>][] = [
  ['a grant to a subject', () => [assign('payroll/read', EVE)]],
  ['a membership of a group that has the role', () => [member('staff', EVE)]],
  [
    'a group in between',
    () => [add('group', { name: 'mid' }), member('staff', 'group/mid'), member('mid', 'group/externals')],
  ],
  ['a role', () => [hold('payroll/reader', EVE)]],
  [
    'a role that includes it',
    () => [
      add('role', { application: 'payroll', name: 'lead', includes: ['payroll/reader'], from_requests: false }),
      hold('payroll/lead', EVE),
    ],
  ],
  [
    'a wildcard of actions',
    () => [
      add('policy', policy({ name: 'all', resource_type: 'payroll/payslip', actions: ['*'] })),
      assign('payroll/all', EVE),
    ],
  ],
  [
    'a wildcard of types',
    () => [
      add('policy', policy({ name: 'all', resource_types: ['*'], actions: ['read'] })),
      assign('payroll/all', EVE),
    ],
  ],
  ['everyone', () => [assign('payroll/read', 'everyone/*')]],
  ['everyone of a type', () => [assign('payroll/read', 'everyone/user')]],
  ['a role for everyone', () => [hold('payroll/reader', 'everyone/user')]],
  ['a role that requests name', () => [assign('payroll/read', 'role/payroll/guest')]],
  [
    'a role that requests may name from now on',
    () => [change('role/payroll/reader', { application: 'payroll', name: 'reader', from_requests: true })],
  ],
  [
    'a role that requests name, which includes another',
    () => [add('role', { name: 'visitor', includes: ['payroll/guest'] }), assign('payroll/read', 'role/payroll/guest')],
  ],
  ['a property that requests send', () => [assign('payroll/own', EVE)]],
  [
    'a property that is recorded no longer',
    () => [
      assign('payroll/read', 'subject/user/ann'),
      change('subject/user/ann', { type: 'user', id: 'ann', properties: { level: 1 } }),
    ],
  ],
  [
    'a property that makes an external of somebody',
    () => [
      member('staff', 'subject/user/ann'),
      change('subject/user/ann', { type: 'user', id: 'ann', properties: { contract: 'external' } }),
    ],
  ],
  [
    'a new subject',
    () => [
      add('subject', { type: 'user', id: 'mal', properties: { contract: 'external' } }),
      member('staff', 'subject/user/mal'),
    ],
  ],
  [
    'a new subject of whom nothing is recorded',
    () => [add('subject', { type: 'user', id: 'mal' }), member('staff', 'subject/user/mal')],
  ],
  ['a link that begins later', () => [member('staff', EVE, { starts_at: LATER })]],
  ['a link that ends', () => [member('staff', EVE, { expires_at: LATER })]],
  ['a DENY that ends', () => [assign('payroll/keep-out', 'everyone/*', { expires_at: LATER }), member('staff', EVE)]],
  [
    'a DENY of less priority',
    () => [
      change(
        'policy/payroll/keep-out',
        policy({ name: 'keep-out', effect: 'DENY', priority: -1, resource_type: 'payroll/payslip', actions: ['read'] }),
      ),
      assign('payroll/keep-out', 'everyone/*'),
      member('staff', EVE),
    ],
  ],
  [
    'a DENY with an exemption',
    () => [
      change(
        'policy/payroll/keep-out',
        policy({
          name: 'keep-out',
          effect: 'DENY',
          priority: 9,
          resource_type: 'payroll/payslip',
          actions: ['read'],
          unless: { mfa_required: true },
        }),
      ),
      assign('payroll/keep-out', 'everyone/*'),
      member('staff', EVE),
    ],
  ],
  [
    'a resource that is moved',
    () => [
      change('resource/payroll/folder/open', { type: 'payroll/folder', name: 'open', parents: ['payroll/folder/hr'] }),
    ],
  ],
  [
    'a closed folder that is moved into an open one',
    () => [
      change('resource/payroll/folder/hr', { type: 'payroll/folder', name: 'hr', parents: ['payroll/folder/open'] }),
    ],
  ],
  [
    'a new resource with two parents',
    () => [
      add('resource', { type: 'payroll/folder', name: 'both', parents: ['payroll/folder/hr', 'payroll/folder/open'] }),
    ],
  ],
  [
    'a role on a drive, for what a request says to lie there and in a folder',
    () => [hold('payroll/viewer', EVE, IN_SAFE)],
  ],
  [
    'a role on one folder whose policy covers what lies below another',
    () => [
      add('role', { application: 'payroll', name: 'diver', from_requests: false }),
      add(
        'policy',
        policy({ name: 'deep', resources: [{ resource: 'payroll/folder/open', actions: ['read'], below: true }] }),
      ),
      assign('payroll/deep', 'role/payroll/diver'),
      hold('payroll/diver', EVE, { resource: 'payroll/folder/hr' }),
    ],
  ],
  [
    'a condition that asks for a drive, for what a request says to lie there and in a folder',
    () => [
      add(
        'policy',
        policy({
          name: 'safe',
          resource_type: 'payroll/folder',
          actions: ['read'],
          condition: 'resource.ancestor("payroll/drive").name == "safe"',
        }),
      ),
      assign('payroll/safe', 'group/externals'),
    ],
  ],
  [
    'a role on what lies inside',
    () => [
      add('resource', { type: 'payroll/folder', name: 'pay', parents: ['payroll/folder/hr'] }),
      hold('payroll/viewer', EVE, { resource: 'payroll/folder/pay' }),
    ],
  ],
  [
    'a policy that covers all below',
    () => [
      add(
        'policy',
        policy({ name: 'deep', resources: [{ resource: 'payroll/folder/hr', actions: ['read'], below: true }] }),
      ),
      assign('payroll/deep', 'group/externals'),
    ],
  ],
  [
    'a condition taken away',
    () => [
      assign('payroll/own', 'subject/user/ann'),
      change('subject/user/ann', { type: 'user', id: 'ann', properties: { contract: 'external', level: 1 } }),
    ],
  ],
  [
    'two duties in one group',
    () => [member('inner', 'subject/user/ann'), assign('payroll/approve', 'subject/user/ann')],
  ],
  [
    'two duties at two times',
    () => [
      member('inner', 'subject/user/ann', { expires_at: LATER }),
      assign('payroll/approve', 'subject/user/ann', { starts_at: LATER }),
    ],
  ],
  [
    'two duties for everyone',
    () => [assign('payroll/submit', 'everyone/*'), assign('payroll/approve', 'everyone/user')],
  ],
  [
    'a new resource that brings two duties together',
    () => [
      add('resource', {
        type: 'payroll/payslip',
        name: 'joint',
        parents: ['payroll/folder/left', 'payroll/folder/right'],
      }),
    ],
  ],
  ['a DENY that goes, for a type that only links mention', () => [drop('policy_assignment/payroll/shut//everyone/*')]],
  [
    'a condition that alone mentions a type of subjects',
    () => [
      add(
        'policy',
        policy({
          name: 'carts',
          resource_type: 'payroll/vault',
          actions: ['enter'],
          condition: 'subject.type == "cart"',
          priority: 10,
        }),
      ),
      assign('payroll/carts', 'everyone/*'),
    ],
  ],
  ['the rule removed along with it', () => [drop('access_rule/no-externals'), member('staff', EVE)]],
  [
    'the rule removed and made anew, weaker, along with it',
    async () => [
      change('access_rule/no-externals', { ...(await ruleOf('no-externals')), when: 'context.mfa == true' }),
      member('staff', EVE),
    ],
  ],
  [
    'the rule only warning along with it',
    async () => [
      change('access_rule/no-externals', { ...(await ruleOf('no-externals')), mode: 'warn' }),
      member('staff', EVE),
    ],
  ],
  [
    'the rule suspended along with it',
    async () => [
      change('access_rule/no-externals', {
        ...(await ruleOf('no-externals')),
        suspended_until: LATER,
        suspension_reason: 'audit',
      }),
      member('staff', EVE),
    ],
  ],
  [
    'a rule that ceases to mean whom it means',
    () => [
      drop('group_membership/externals//subject/user/eve'),
      hold('payroll/viewer', EVE, { resource: 'payroll/folder/hr' }),
      member('externals', EVE, { starts_at: LATER }),
    ],
  ],
];

describe('a grant that is slipped past a rule', () => {
  it.each(ATTACKS)('is refused by %s', async (_, changes) => {
    const { revision } = await admin.state();
    await expect(commit(...(await changes()))).rejects.toMatchObject({ code: 'access_rule_violated' });
    expect((await admin.state()).revision).toBe(revision);
  });
});

const HARMLESS: [what: string, changes: () => Change[] | Promise<Change[]>][] = [
  ['a grant to whom no rule means', () => [member('staff', 'subject/user/ann')]],
  ['a grant to a type that no rule means', () => [assign('payroll/read', 'everyone/service')]],
  [
    'a folder in an open one',
    () => [add('resource', { type: 'payroll/folder', name: 'sub', parents: ['payroll/folder/open'] })],
  ],
  [
    'a grant to an external that a DENY takes back',
    () => [assign('payroll/keep-out', 'everyone/*'), member('staff', EVE)],
  ],
  [
    'a role on a drive beside a DENY on all below the folder',
    () => [
      add(
        'policy',
        policy({
          name: 'fence',
          effect: 'DENY',
          priority: 9,
          resources: [{ resource: 'payroll/folder/hr', actions: ['read'], below: true }],
        }),
      ),
      assign('payroll/fence', 'group/externals'),
      hold('payroll/viewer', EVE, IN_SAFE),
    ],
  ],
  ['a link that has ended', () => [member('staff', EVE, { expires_at: '2020-01-01T00:00:00Z' })]],
  [
    'two duties of two subjects',
    () => [assign('payroll/approve', 'subject/user/ann'), member('inner', 'subject/user/eve')],
  ],
  ['a rule removed by itself', () => [drop('access_rule/no-externals')]],
];

describe('what no rule forbids', () => {
  it.each(HARMLESS)('is committed: %s', async (_, changes) => {
    const { revision } = await admin.state();
    await commit(...(await changes()));
    expect((await admin.state()).revision).not.toBe(revision);
  });
});

describe('a rule', () => {
  it('lets one of two commits at once through that are harmless alone', async () => {
    const both = await Promise.allSettled([
      commit(member('inner', 'subject/user/ann')),
      commit(assign('payroll/approve', 'subject/user/ann')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'access_rule_violated' });
  });

  it.each<[what: string, credential: object, code: string]>([
    ['without the scope', { scopes: ['records:read', 'records:write'] }, 'forbidden'],
    [
      'within limits, whatever its scopes',
      { scopes: ['records:read', 'records:write', 'access-rules'], limits: { stacks: ['api'] } },
      'outside_limits',
    ],
  ])('is not suspended, changed, removed or made by a credential %s', async (_, fields, code) => {
    const robot = await robotWith(fields);
    const rule = await ruleOf('no-externals');
    const { revision } = await admin.state();
    const address = 'access_rule/no-externals';
    for (const one of [
      change(address, { ...rule, suspended_until: LATER, suspension_reason: 'audit' }),
      change(address, { ...rule, mode: 'warn' }),
      drop(address),
      add('access_rule', { ...rule, name: 'mine' }),
    ])
      await expect(robot.changeset({ changes: [one] })).rejects.toMatchObject({ code });
    expect((await admin.state()).revision).toBe(revision);
  });

  it('holds for a credential within limits as for all others', async () => {
    const limits = { stacks: ['mine'], applications: ['payroll'] };
    const scopes = ['records:read', 'records:write'];
    const robot = await robotWith({ scopes, limits });
    const grant = { changes: [assign('payroll/read', EVE)], stack: 'mine' };
    await expect(robot.changeset(grant)).rejects.toMatchObject({ code: 'access_rule_violated' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, commitFrom } from '../../testing/browser.js';
import { billing, TestCloud } from '../../testing/test-cloud.js';

type Change = Record<string, unknown>;

const make = (kind: string, fields: Change): Change => ({ op: 'create', kind, fields });
const to = (entity_type: string, entity: string) => ({ entity_type, entity });
const give = (role: string, ...entity: Parameters<typeof to>) => make('role_assignment', { role, ...to(...entity) });
const join = (group: string, ...entity: Parameters<typeof to>) => make('group_membership', { group, ...to(...entity) });
const move = (from: string, at: string): Change => ({ op: 'move', from, to: at });
const update = (address: string, fields: Change): Change => ({ op: 'update', address, fields });
const remove = (address: string): Change => ({ op: 'delete', address });
const APP = 'service-console';
const EVE = to('subject', 'user/eve');

/** Who may use the console, and what leads there; all of it belongs to nobody. */
const RECORDS = [
  make('application', { name: APP }),
  make('application', { name: 'docs' }),
  make('resource_type', { application: 'docs', name: 'folder', actions: ['read'] }),
  make('resource', { type: 'docs/folder', name: 'top' }),
  make('resource', { type: 'docs/folder', name: 'plain' }),
  make('resource_type', {
    application: APP,
    name: 'console',
    actions: ['view', 'edit'],
    parents: [{ type: 'docs/folder', property: 'in' }],
  }),
  make('resource', { type: `${APP}/console`, name: 'console', parents: ['docs/folder/top'] }),
  make('role', { application: APP, name: 'editor' }),
  make('policy', {
    application: APP,
    name: 'edit',
    effect: 'ALLOW',
    resource_type: `${APP}/console`,
    actions: ['edit'],
  }),
  make('policy_assignment', { policy: `${APP}/edit`, ...to('role', `${APP}/editor`) }),
  make('policy', {
    application: APP,
    name: 'asked',
    effect: 'ALLOW',
    resource_type: `${APP}/console`,
    actions: ['view'],
    condition: 'subject.in_group("asked") || subject.has_role("asked")',
  }),
  make('policy', {
    application: APP,
    name: 'trusted',
    effect: 'ALLOW',
    resource_type: `${APP}/console`,
    actions: ['edit'],
    condition: 'has(subject.properties.trust) && subject.properties.trust == "full"',
  }),
  make('policy_assignment', { policy: `${APP}/trusted`, ...to('everyone', '*') }),
  make('policy', {
    name: 'single',
    effect: 'ALLOW',
    resources: [{ resource: `${APP}/console/console`, actions: ['edit'] }],
    condition: 'has(subject.properties.rank) && subject.properties.rank == 1',
  }),
  make('policy', {
    application: 'docs',
    name: 'below',
    effect: 'ALLOW',
    resources: [
      { resource: 'docs/folder/top', actions: ['*'], below: true },
      { resource: 'docs/folder/top', actions: ['*'] },
    ],
    condition: 'has(subject.properties.level) && subject.properties.level == 1 || subject.in_group("below")',
  }),
  make('policy', {
    application: 'docs',
    name: 'folder',
    effect: 'ALLOW',
    resources: [{ resource: 'docs/folder/top', actions: ['*'] }],
    condition: 'has(subject.properties.desk) && subject.properties.desk == 1',
  }),
  ...['single', 'docs/below'].map((policy) => make('policy_assignment', { policy, ...to('everyone', '*') })),
  make('policy', { name: 'tenants', effect: 'ALLOW', resource_type: `${APP}/console`, actions: ['edit'] }),
  make('role', { name: 'lead', includes: [`${APP}/editor`] }),
  make('role', { name: 'chief', includes: ['lead'] }),
  make('role', { name: 'holder' }),
  make('policy_assignment', { policy: 'tenants', ...to('role', 'holder') }),
  make('role', { name: 'asked' }),
  make('role', { name: 'plain' }),
  ...['leads', 'above', 'asked', 'below', 'plain', 'empty'].map((name) => make('group', { name })),
  give('lead', 'group', 'leads'),
  join('leads', 'group', 'above'),
  ...['eve', 'ann', 'editor'].map((id) => make('subject', { type: 'user', id })),
  make('subject', { type: 'user', id: 'idle', suspended: true }),
  make('subject', { type: 'user', id: 'known', properties: { trust: 'full' } }),
  make('subject', { type: 'user', id: 'held', properties: { rank: 1 }, suspended: true }),
  make('subject', { type: 'user', id: 'low', properties: { trust: 'none', rank: 2 } }),
  make('oauth_client', {
    name: 'chief-in-the-console',
    scopes: ['credentials'],
    person: { issuer: 'https://id.example.com', subject: '2482' },
  }),
  ...['user/editor', 'user/idle'].map((editor) => give(`${APP}/editor`, 'subject', editor)),
];

const WAYS: [string, Change[]][] = [
  ['the role of editors, given to somebody', [give(`${APP}/editor`, 'subject', 'user/eve')]],
  ['the role of editors, given to everyone', [give(`${APP}/editor`, 'everyone', 'user')]],
  ['the role of editors, given to a group', [give(`${APP}/editor`, 'group', 'plain')]],
  [
    'the role of editors, on one resource',
    [make('role_assignment', { role: `${APP}/editor`, ...EVE, resource: `${APP}/console/console` })],
  ],
  ['a role that includes it', [give('lead', 'subject', 'user/eve')]],
  ['a role that includes one that includes it', [give('chief', 'subject', 'user/eve')]],
  ['a role that holds its policy', [give('holder', 'subject', 'user/eve')]],
  ['a role that a condition of its policies asks for', [give('asked', 'subject', 'user/eve')]],
  ['a new role that includes it', [make('role', { name: 'mine', includes: [`${APP}/editor`] })]],
  ['a new role that includes one that includes it', [make('role', { name: 'mine', includes: ['lead'] })]],
  ['a role that is made to include it', [update('role/plain', { name: 'plain', includes: ['chief'] })]],
  ['a member of a group that holds it', [join('leads', 'subject', 'user/eve')]],
  ['a member of a group in that group', [join('above', 'subject', 'user/eve')]],
  ['a group in a group that holds it', [join('leads', 'group', 'plain')]],
  ['a member of a group that a condition asks for', [join('asked', 'subject', 'user/eve')]],
  ['its policy, given to somebody', [make('policy_assignment', { policy: `${APP}/edit`, ...EVE })]],
  ["the tenant's policy, given to somebody", [make('policy_assignment', { policy: 'tenants', ...EVE })]],
  ["the tenant's policy, given to a role", [make('policy_assignment', { policy: 'tenants', ...to('role', 'plain') })]],
  [
    'a policy of its own',
    [make('policy', { name: 'mine', effect: 'ALLOW', resource_type: `${APP}/console`, actions: ['edit'] })],
  ],
  [
    'a policy on the resource',
    [
      make('policy', {
        name: 'mine',
        effect: 'ALLOW',
        resources: [{ resource: `${APP}/console/console`, actions: ['edit'] }],
      }),
    ],
  ],
  [
    'a policy on all below what the console lies in',
    [
      make('policy', {
        name: 'mine',
        effect: 'ALLOW',
        resources: [{ resource: 'docs/folder/top', actions: ['*'], below: true }],
      }),
    ],
  ],
  [
    'a policy of the application on all its types',
    [make('policy', { application: APP, name: 'mine', effect: 'ALLOW', resource_types: ['*'], actions: ['*'] })],
  ],
  [
    'the condition of its policy',
    [
      update(`policy/${APP}/asked`, {
        application: APP,
        name: 'asked',
        effect: 'ALLOW',
        resource_type: `${APP}/console`,
        actions: ['view', 'edit'],
      }),
    ],
  ],
  ['another role in the application', [make('role', { application: APP, name: 'mine' })]],
  [
    'the actions of its type',
    [update(`resource_type/${APP}/console`, { application: APP, name: 'console', actions: ['view', 'edit', 'rule'] })],
  ],
  [
    'another application in its place',
    [move(`application/${APP}`, 'application/old'), make('application', { name: APP })],
  ],
  [
    'another application under its name',
    [move(`application/${APP}`, 'application/old'), move('application/docs', `application/${APP}`)],
  ],
  ['its role under another name', [move(`role/${APP}/editor`, `role/${APP}/other`)]],
  ['a group that holds it under another name', [move('group/leads', 'group/staff')]],
  ['another group in its place', [move('group/leads', 'group/old'), move('group/plain', 'group/leads')]],
  ['a role that includes it under another name', [move('role/lead', 'role/staff')]],
  ['sharing of a group that holds it', [update('group/leads', { name: 'leads', shared_with: ['docs'] })]],
  ['an editor under the name of another', [move('subject/user/editor', 'subject/user/new')]],
  [
    'two people who swap names',
    [move('subject/user/editor', 'subject/user/ann'), move('subject/user/ann', 'subject/user/editor')],
  ],
  ['a suspended editor', [update('subject/user/editor', { type: 'user', id: 'editor', suspended: true })]],
  [
    'a suspended person whom a condition makes an editor, as one of everyone',
    [update('subject/user/known', { type: 'user', id: 'known', properties: { trust: 'full' }, suspended: true })],
  ],
  ['a reinstated one', [update('subject/user/held', { type: 'user', id: 'held', properties: { rank: 1 } })]],
  [
    'somebody without a record whom a client names, as a suspended subject',
    [make('subject', { type: 'user', id: '2482', suspended: true })],
  ],
  ['a reinstated editor', [update('subject/user/idle', { type: 'user', id: 'idle' })]],
  ['another place of what it lies in', [move('resource/docs/folder/top', 'resource/docs/folder/moved')]],
  [
    'a property of somebody that a condition reads',
    [update('subject/user/eve', { type: 'user', id: 'eve', properties: { trust: 'full' } })],
  ],
  [
    'somebody new with a property that a condition reads',
    [make('subject', { type: 'user', id: 'mallory', properties: { trust: 'full' } })],
  ],
  [
    "a property that the tenant's policy on the resource reads",
    [update('subject/user/eve', { type: 'user', id: 'eve', properties: { rank: 1 } })],
  ],
  [
    'a property that a policy on all below what it lies in reads',
    [update('subject/user/eve', { type: 'user', id: 'eve', properties: { level: 1 } })],
  ],
  ['a member of a group that such a policy asks for', [join('below', 'subject', 'user/eve')]],
  ['what keeps somebody from it', [remove(`role_assignment/${APP}/editor//subject/user/editor`)]],
];

describe('a session of somebody who edits in the console', () => {
  let cloud: TestCloud;
  let browser: Browser;
  let limited: (changes: object[]) => ReturnType<TestCloud['ask']>;
  beforeAll(async () => {
    cloud = await TestCloud.start();
    const admin = await cloud.token();
    await cloud.commit(admin, [...billing(), ...RECORDS]);
    const editor = await cloud.key(admin, ['decisions', 'records:read', 'records:write']);
    browser = await Browser.signIn(cloud, editor);
    const key = await cloud.key(admin, ['records:write'], { limits: { priority_max: 1000 } });
    limited = (changes) => cloud.ask('POST', '/v1/changesets', { as: key, body: { stack: 'team', changes } });
  });
  afterAll(() => cloud.close());

  it.each(WAYS)('makes nobody an editor: %s', async (_, changes) => {
    const { status, body } = await commitFrom(browser, changes);
    expect([status, body.code]).toEqual([409, 'not_owner']);
    expect(body.detail).toMatch(/decides who may use the console, and it cannot be changed in the console/);
  });

  it.each(WAYS.filter(([, changes]) => changes.every(({ op }) => op === 'create')))(
    'makes nobody an editor, no more than a credential with limits: %s',
    async (_, changes) => {
      const { status, body } = await limited(changes);
      expect([status, body.code]).toEqual([403, 'outside_limits']);
    },
  );

  it.each<[string, Change[]]>([
    [
      'a resource',
      [update('resource/billing/invoice/INV-1', { type: 'billing/invoice', name: 'INV-1', properties: { a: 1 } })],
    ],
    ['a place that the console does not lie in', [move('resource/docs/folder/plain', 'resource/docs/folder/other')]],
    ['a role that does not lead there', [update('role/plain', { name: 'plain', description: 'x' })]],
    ['a grant of it', [give('plain', 'subject', 'user/eve')]],
    ['a member of another group', [join('plain', 'subject', 'user/eve')]],
    ['a group under another name', [move('group/empty', 'group/renamed')]],
    ['a person under another name', [move('subject/user/ann', 'subject/user/anna')]],
    [
      'the name that an editor is shown by',
      [update('subject/user/editor', { type: 'user', id: 'editor', name: 'Ed' })],
    ],
    [
      'a property that no condition reads',
      [update('subject/user/eve', { type: 'user', id: 'eve', properties: { desk: 4 } })],
    ],
    [
      'a suspension of somebody who is given nothing of it',
      [update('subject/user/eve', { type: 'user', id: 'eve', suspended: true })],
    ],
    [
      'a suspension of somebody whom no such condition means',
      [
        update('subject/user/low', {
          ...{ type: 'user', id: 'low', suspended: true },
          properties: { trust: 'none', rank: 2 },
        }),
        make('subject', { type: 'user', id: 'unknown', suspended: true }),
      ],
    ],
    ['a policy', [make('policy', { name: 'fine', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['*'] })]],
  ])('still changes what leads to nothing of the console: %s', async (_, changes) => {
    const { status, body } = await commitFrom(browser, changes);
    expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
  });

  it('may do so with a credential whose limits name the application', async () => {
    const admin = await cloud.token();
    const key = await cloud.key(admin, ['records:read', 'records:write'], { limits: { applications: [APP, 'docs'] } });
    const keeper = await Browser.signIn(cloud, key);
    expect((await commitFrom(keeper, [give(`${APP}/editor`, 'subject', 'user/eve')])).status).toBe(200);
  });
});

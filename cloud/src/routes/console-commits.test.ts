import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Browser, commitFrom } from '../../testing/browser.js';
import { billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

const start = async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
};

const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } });

describe('a commit by a session', () => {
  beforeEach(start);
  afterEach(() => cloud.close());

  /** Records that Git owns: a group, a role that the console may give, and who may use the console. */
  const declared = [
    { op: 'create', kind: 'application', fields: { name: 'service-console' } },
    {
      op: 'create',
      kind: 'resource_type',
      fields: { application: 'service-console', name: 'console', actions: ['view', 'edit'] },
    },
    { op: 'create', kind: 'role', fields: { application: 'service-console', name: 'editor' } },
    { op: 'create', kind: 'role', fields: { name: 'theirs', shared_with: ['billing'] } },
    { op: 'create', kind: 'role', fields: { name: 'shared', shared_with: ['service-console'] } },
    { op: 'create', kind: 'group', fields: { name: 'team' } },
    {
      op: 'create',
      kind: 'policy',
      fields: { name: 'all', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['*'] },
    },
    { op: 'create', kind: 'api_key', fields: { name: 'of-git', scopes: ['decisions'] } },
    { op: 'create', kind: 'subject', fields: { type: 'user', id: 'eve' } },
  ];
  const inGit = async () => {
    const applied = await cloud.ask('POST', '/v1/changesets', {
      as: admin,
      body: { stack: 'people', changes: declared },
    });
    expect(applied.status).toBe(200);
  };
  const refuse = { status: 409, body: { code: 'not_owner' } };
  const assign = (role: string, entity_type = 'subject', entity = 'user/eve') => ({
    op: 'create',
    kind: 'role_assignment',
    fields: { role, entity_type, entity },
  });

  it('is for the stack of the console at a stated revision, and takes nothing over', async () => {
    await inGit();
    const browser = await Browser.signIn(cloud, admin);
    for (const more of [
      { stack: undefined },
      { base_revision: undefined },
      { stack: 'people' },
      { take_ownership: true },
      { exclusive: true },
    ])
      expect({ more, ...(await commitFrom(browser, [role('made')], more)) }).toMatchObject({ more, ...refuse });
    for (const query of ['', '?stack=console', '?stack=people'])
      expect(await browser.ask('POST', `/console/api/v1/roles${query}`, { body: { name: 'made' } })).toMatchObject(
        refuse,
      );
    expect((await commitFrom(browser, [role('made')])).status).toBe(200);
    const rename = { op: 'move', from: 'role/made', to: 'role/kept' };
    expect((await commitFrom(browser, [rename])).status).toBe(200);
  });

  it('changes no record that another stack declares, neither directly nor by a rename', async () => {
    await inGit();
    const browser = await Browser.signIn(cloud, admin);
    const { id } = (await browser.ask('GET', '/console/api/v1/roles?name=theirs')).body.items[0];
    const path = `/console/api/v1/roles/${id}`;
    expect(await browser.ask('PATCH', path, { body: { description: 'x' } })).toMatchObject(refuse);
    expect(await browser.ask('DELETE', path)).toMatchObject(refuse);
    expect(await commitFrom(browser, [{ op: 'delete', address: 'role/theirs' }])).toMatchObject(refuse);
    expect((await commitFrom(browser, [role('made')])).status).toBe(200);
    const theirs = { stack: 'people', changes: [assign('made')] };
    expect((await cloud.ask('POST', '/v1/changesets', { as: admin, body: theirs })).status).toBe(200);
    expect(await commitFrom(browser, [{ op: 'move', from: 'role/made', to: 'role/kept' }])).toMatchObject(refuse);
  });

  it('suspends and reinstates subjects of another stack, which keeps them, and changes nothing else of them', async () => {
    await inGit();
    const browser = await Browser.signIn(cloud, admin);
    const eve = { type: 'user', id: 'eve' };
    const update = (fields: object) => ({ op: 'update', address: 'subject/user/eve', fields: { ...eve, ...fields } });
    const read = async () => (await browser.ask('GET', '/console/api/v1/subjects/user%2Feve')).body;
    for (const suspension of [
      { suspended: true, suspension_reason: 'x' },
      { suspended_until: '2099-01-01T00:00:00Z' },
      {},
    ]) {
      expect(await commitFrom(browser, [update(suspension)])).toMatchObject({ status: 200, body: { changed: 1 } });
      expect(await read()).toMatchObject({ managed_by: 'people' });
    }
    expect(await read()).not.toHaveProperty('suspended_until');
    const renamed = { op: 'move', from: 'subject/user/eve', to: 'subject/user/eva' };
    const moved = { op: 'update', address: 'subject/user/eva', fields: { type: 'user', id: 'eva', suspended: true } };
    for (const changes of [
      [update({ suspended: true, name: 'Eve' })],
      [update({ suspended: true, properties: { a: 1 } })],
      [renamed, moved],
      [update({ suspended: true }), { op: 'adopt', address: 'subject/user/eve' }],
      [{ op: 'delete', address: 'subject/user/eve' }],
    ])
      expect({ changes, ...(await commitFrom(browser, changes)) }).toMatchObject({ changes, ...refuse });
    expect(await read()).toMatchObject({ managed_by: 'people' });
    expect(await read()).not.toHaveProperty('suspended');
  });

  it('makes and removes credentials, but none of another stack', async () => {
    await inGit();
    const browser = await Browser.signIn(cloud, admin);
    const keys = '/console/api/v1/api-keys';
    const made = await browser.ask('POST', keys, { body: { name: 'k', scopes: ['decisions'] } });
    expect(made.status).toBe(201);
    const { items } = (await browser.ask('GET', `${keys}?name=k`)).body;
    expect((await browser.ask('DELETE', `${keys}/${items[0].id}`)).status).toBe(204);
    const [theirs] = (await browser.ask('GET', `${keys}?name=of-git`)).body.items;
    for (const query of ['', '?stack=people'])
      expect(await browser.ask('DELETE', `${keys}/${theirs.id}${query}`)).toMatchObject(refuse);
    const body = { name: 'of-git-too', scopes: ['decisions'] };
    expect(await browser.ask('POST', `${keys}?stack=people`, { body })).toMatchObject(refuse);
  });

  it('makes access rules about roles and groups of other stacks, since they give nothing', async () => {
    await inGit();
    const browser = await Browser.signIn(cloud, admin);
    const never = {
      subjects: { roles: ['theirs', 'service-console/editor'], groups: ['team'] },
      actions: ['read'],
      resources: { types: ['billing/invoice'] },
    };
    const rule = { op: 'create', kind: 'access_rule', fields: { name: 'not-theirs', never, mode: 'warn' } };
    expect(await commitFrom(browser, [rule])).toMatchObject({ status: 200 });
  });

  it('gives what another stack owns only where its owner shares it with the console', async () => {
    await inGit();
    const browser = await Browser.signIn(cloud, admin);
    const member = { group: 'team', entity_type: 'subject', entity: 'user/eve' };
    const policy = { name: 'mine', effect: 'ALLOW', resource_type: 'service-console/console', actions: ['edit'] };
    for (const change of [
      assign('service-console/editor'),
      assign('theirs'),
      { op: 'create', kind: 'group_membership', fields: member },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'all', entity_type: 'subject', entity: 'user/eve' },
      },
      { op: 'create', kind: 'role', fields: { name: 'mine', includes: ['theirs'] } },
      { op: 'create', kind: 'policy', fields: policy },
    ])
      expect({ change, ...(await commitFrom(browser, [change])) }).toMatchObject({ change, ...refuse });
    expect((await commitFrom(browser, [role('mine'), assign('mine'), assign('shared')])).status).toBe(200);
  });
});

describe("a session's commit to records that are nobody's", () => {
  const refuse = { status: 409, body: { code: 'not_owner' } };
  let browser: Browser;
  beforeEach(async () => {
    await start();
    await cloud.commit(admin, [
      role('nobodys'),
      role('unused'),
      { op: 'create', kind: 'application', fields: { name: 'service-console' } },
      { op: 'create', kind: 'role', fields: { application: 'service-console', name: 'editor' } },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'eve' } },
      {
        op: 'create',
        kind: 'role_assignment',
        fields: { role: 'service-console/editor', entity_type: 'subject', entity: 'user/eve' },
      },
    ]);
    const declared = [
      { op: 'create', kind: 'role', fields: { name: 'theirs' } },
      { op: 'create', kind: 'role', fields: { name: 'includes', includes: ['nobodys'] } },
    ];
    const body = { stack: 'people', changes: declared };
    expect((await cloud.ask('POST', '/v1/changesets', { as: admin, body })).status).toBe(200);
    browser = await Browser.signIn(cloud, admin);
  });
  afterEach(() => cloud.close());

  const described = (fields: object = {}) => ({
    op: 'update',
    address: 'role/nobodys',
    fields: { name: 'nobodys', description: 'x', ...fields },
  });

  it("changes and removes them beside its own, and they stay nobody's", async () => {
    const changes = [described(), { op: 'delete', address: 'role/unused' }, role('made')];
    const { status, body } = await commitFrom(browser, changes);
    expect([status, body.added, body.changed, body.removed]).toEqual([200, 1, 1, 1]);
    const { items } = (await browser.ask('GET', '/console/api/v1/roles')).body;
    const owners = items.map((one: { name: string; managed_by: string }) => [one.name, one.managed_by]);
    expect(owners).toEqual(
      expect.arrayContaining([
        ['nobodys', 'api'],
        ['made', 'console'],
      ]),
    );
  });

  it.each<[string, object[]]>([
    ['a record of another stack beside them', [described(), { op: 'delete', address: 'role/theirs' }]],
    ['a rename that rewrites a record of another stack', [{ op: 'move', from: 'role/nobodys', to: 'role/mine' }]],
    ['taking one over', [{ op: 'adopt', address: 'role/nobodys' }]],
    ['what another stack does not share, given by one', [described({ includes: ['theirs'] })]],
    [
      'who may use the console',
      [{ op: 'delete', address: 'role_assignment/service-console/editor//subject/user/eve' }],
    ],
    [
      'what the roles of the console are',
      [
        {
          op: 'update',
          address: 'role/service-console/editor',
          fields: { application: 'service-console', name: 'editor', description: 'x' },
        },
      ],
    ],
  ])('refuses %s', async (_, changes) => {
    expect(await commitFrom(browser, changes)).toMatchObject(refuse);
  });

  it("is still for its own stack, and another stack's commit does not touch them", async () => {
    for (const more of [{ stack: undefined }, { stack: 'people' }, { base_revision: undefined }])
      expect({ more, ...(await commitFrom(browser, [described()], more)) }).toMatchObject({ more, ...refuse });
    const body = { stack: 'console', changes: [described()] };
    expect(await cloud.ask('POST', '/v1/changesets', { as: admin, body })).toMatchObject(refuse);
  });

  it('is kept within the limits of the session', async () => {
    const key = await cloud.key(admin, ['records:read', 'records:write', 'decisions'], {
      limits: { stacks: ['console'] },
    });
    const limited = await Browser.signIn(cloud, key);
    expect(await commitFrom(limited, [described()])).toMatchObject({ status: 403, body: { code: 'outside_limits' } });
  });
});

describe('a credential that is limited to stacks', () => {
  beforeEach(start);
  afterEach(() => cloud.close());

  const limited = async (limits: object) => {
    const key = await cloud.key(admin, ['records:write', 'credentials'], { limits });
    return (changes: object[]) => cloud.ask('POST', '/v1/changesets', { as: key, body: { stack: 'team', changes } });
  };
  const application = { op: 'create', kind: 'application', fields: { name: 'service-console' } };
  const refuse = { status: 403, body: { code: 'outside_limits' } };

  it('does not make the application that decides over the console', async () => {
    expect(await (await limited({ stacks: ['team'] }))([application])).toMatchObject(refuse);
    expect(await (await limited({ priority_max: 1 }))([application])).toMatchObject(refuse);
    const other = { op: 'create', kind: 'application', fields: { name: 'other' } };
    const commit = await limited({ stacks: ['team'] });
    expect((await commit([other])).status).toBe(200);
    expect(await commit([{ op: 'move', from: 'application/other', to: 'application/service-console' }])).toMatchObject(
      refuse,
    );
  });

  it('gives nobody its roles and policies, directly or by groups and roles, nor a credential for it', async () => {
    const path = 'service-console/editor';
    await cloud.commit(admin, [
      application,
      { op: 'create', kind: 'role', fields: { application: 'service-console', name: 'editor' } },
      {
        op: 'create',
        kind: 'resource_type',
        fields: { application: 'service-console', name: 'console', actions: ['edit'] },
      },
      { op: 'create', kind: 'role', fields: { name: 'lead', includes: [path] } },
      { op: 'create', kind: 'group', fields: { name: 'leads' } },
      { op: 'create', kind: 'group', fields: { name: 'plain' } },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'eve' } },
      { op: 'create', kind: 'role_assignment', fields: { role: 'lead', entity_type: 'group', entity: 'leads' } },
    ]);
    const eve = { entity_type: 'subject', entity: 'user/eve' };
    const policy = { name: 'mine', effect: 'ALLOW', resource_type: 'service-console/console', actions: ['edit'] };
    const key = { name: 'mine', scopes: ['records:write'] };
    const changes = [
      { op: 'create', kind: 'role', fields: { application: 'service-console', name: 'mine' } },
      { op: 'create', kind: 'role_assignment', fields: { role: path, ...eve } },
      { op: 'create', kind: 'role_assignment', fields: { role: 'lead', ...eve } },
      { op: 'create', kind: 'group_membership', fields: { group: 'leads', ...eve } },
      { op: 'create', kind: 'role', fields: { name: 'mine', includes: [path] } },
      { op: 'create', kind: 'policy', fields: policy },
      {
        op: 'create',
        kind: 'api_key',
        fields: { ...key, limits: { stacks: ['team'], applications: ['service-console'] } },
      },
    ];
    const commit = await limited({ stacks: ['team'] });
    for (const change of changes) expect({ change, ...(await commit([change])) }).toMatchObject({ change, ...refuse });
    const plain = { op: 'create', kind: 'group_membership', fields: { group: 'plain', ...eve } };
    expect((await commit([plain])).status).toBe(200);
    const named = await limited({ stacks: ['team'], applications: ['service-console'] });
    expect((await named([{ op: 'create', kind: 'role_assignment', fields: { role: path, ...eve } }])).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ask, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;
let okta: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, [
    {
      op: 'create',
      kind: 'directory',
      fields: {
        name: 'okta',
        properties: { department: 'department', mail: 'emails[type eq "work"].value' },
        groups: { prefix: 'authz-' },
      },
    },
    { op: 'create', kind: 'subject', fields: { type: 'user', id: 'git' } },
    { op: 'create', kind: 'role', fields: { name: 'auditor' } },
  ]);
  okta = await cloud.key(admin, ['directory'], { directory: 'okta' });
});
afterAll(() => cloud.close());

const scim = (method: string, path: string, body?: unknown, more: Ask = {}) =>
  cloud.ask(method, `/scim/v2/${path}`, { as: okta, ...(body !== undefined && { body }), ...more });
const user = async (userName: string, more: object = {}) => (await scim('POST', 'Users', { userName, ...more })).body;
const record = async (path: string) => (await cloud.ask('GET', `/v1/${path}`, { as: admin })).body;

it('makes a subject that the directory owns, with what the mapping names and nothing else', async () => {
  const { status, headers, body } = await scim('POST', 'Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'alice',
    externalId: 'ext-1',
    name: { givenName: 'Alice', familyName: 'Jones' },
    nickName: 'Al',
    emails: [
      { type: 'home', value: 'alice@home.example' },
      { type: 'work', value: 'alice@acme.example', primary: true },
    ],
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Finance' },
  });
  expect([status, headers.get('content-type')]).toEqual([201, 'application/scim+json']);
  expect(headers.get('location')).toBe(body.meta.location);
  expect(body).toMatchObject({
    id: expect.any(String),
    userName: 'alice',
    externalId: 'ext-1',
    displayName: 'Alice Jones',
    active: true,
    emails: [{ type: 'work', value: 'alice@acme.example' }],
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Finance' },
    meta: { resourceType: 'User', version: headers.get('etag') },
  });
  expect(body.nickName).toBeUndefined();
  expect(await record('subjects/user%2Falice')).toMatchObject({
    managed_by: 'directory/okta',
    name: 'Alice Jones',
    properties: { department: 'Finance', mail: 'alice@acme.example' },
    entry: { id: body.id, external_id: 'ext-1' },
  });
  expect((await scim('GET', `Users/${body.id}`)).body).toEqual(body);
  expect(
    (await scim('GET', `Users/${body.id}`, undefined, { headers: { 'if-none-match': headers.get('etag') ?? '' } }))
      .status,
  ).toBe(304);
});

it('suspends who is not active, and reinstates', async () => {
  const { id } = await user('bob');
  const patch = (value: unknown) =>
    scim('PATCH', `Users/${id}`, { Operations: [{ op: 'Replace', path: 'active', value }] });
  expect((await patch('False')).body.active).toBe(false);
  expect(await record('subjects/user%2Fbob')).toMatchObject({ suspended: true });
  // Who says nothing about it changes nothing of it.
  expect((await scim('PUT', `Users/${id}`, { userName: 'bob', displayName: 'Bob' })).body.active).toBe(false);
  expect((await patch(true)).body.active).toBe(true);
  expect((await record('subjects/user%2Fbob')).suspended).toBeUndefined();
});

it('does not reinstate whom somebody else has suspended', async () => {
  const { id } = await user('carl');
  await cloud.ask('PATCH', '/v1/subjects/user%2Fcarl', {
    as: admin,
    body: { suspended: true, suspension_reason: 'Theft.' },
  });
  expect((await scim('PUT', `Users/${id}`, { userName: 'carl', active: true })).body.active).toBe(false);
  expect((await scim('DELETE', `Users/${id}`)).status).toBe(204);
  expect((await user('carl')).active).toBe(false);
  expect(await record('subjects/user%2Fcarl')).toMatchObject({ suspended: true, suspension_reason: 'Theft.' });
});

it('lets no suspension by somebody else end before a directory that suspends, too, says so', async () => {
  const until = '2999-01-01T00:00:00.000Z';
  const suspendUntil = (name: string) =>
    cloud.ask('PATCH', `/v1/subjects/user%2F${name}`, {
      as: admin,
      body: { suspended_until: until, suspension_reason: 'Theft.' },
    });
  const { id } = await user('cleo');
  await suspendUntil('cleo');
  const put = (active: boolean) => scim('PUT', `Users/${id}`, { userName: 'cleo', active });
  await put(true);
  const theirs = { suspended_until: until, suspension_reason: 'Theft.' };
  expect(await record('subjects/user%2Fcleo')).toMatchObject(theirs);
  // Who says nothing of it does not suspend.
  await scim('PATCH', `Users/${id}`, { Operations: [{ op: 'replace', path: 'displayName', value: 'Cleo' }] });
  expect(await record('subjects/user%2Fcleo')).toMatchObject(theirs);
  await put(false);
  expect((await put(true)).body.active).toBe(false);
  expect(await record('subjects/user%2Fcleo')).toMatchObject({ suspended: true, suspension_reason: 'Theft.' });
  // Who is removed is not allowed anything once the other suspension ends.
  const other = await user('cora');
  await suspendUntil('cora');
  await scim('DELETE', `Users/${other.id}`);
  const left = await record('subjects/user%2Fcora');
  expect([left.suspended, left.suspended_until]).toEqual([true, undefined]);
});

describe('a subject that the directory suspends beside somebody else', () => {
  const change = (name: string, body: object) => cloud.ask('PATCH', `/v1/subjects/user%2F${name}`, { as: admin, body });
  const suspensionOf = async (name: string) => {
    const { suspended, suspended_until, suspension_reason } = await record(`subjects/user%2F${name}`);
    return [suspended ?? suspended_until, suspension_reason];
  };
  const lifted = { suspended: null, suspended_until: null, suspension_reason: null };
  const active = (id: string, value: boolean) =>
    scim('PATCH', `Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value }] });
  const both = (reason: string, why = 'not active') => [true, `${reason} By directory/okta: ${why}.`];

  it('stays suspended by the directory when the other suspension is lifted, until that is lifted, too', async () => {
    const { id } = await user('dan');
    await change('dan', { suspended: true, suspension_reason: 'Theft.' });
    await active(id, false);
    expect(await suspensionOf('dan')).toEqual(both('Theft.'));
    await change('dan', lifted);
    expect(await suspensionOf('dan')).toEqual([true, 'By directory/okta: not active.']);
    expect((await active(id, true)).body.active).toBe(true);
    await active(id, false);
    // Nobody else suspends any more: who lifts this lifts it knowingly.
    await change('dan', lifted);
    expect(await suspensionOf('dan')).toEqual([undefined, undefined]);
  });

  it.each([
    ['without a reason', { suspended: true }, 'Suspended.'],
    ['of a moment', { suspended_until: '2999-01-01T00:00:00Z', suspension_reason: 'Leave.' }, 'Leave.'],
    ['of a long reason', { suspended: true, suspension_reason: 'x'.repeat(1024) }, 'x'.repeat(993)],
  ])('has no end and says both: %s', async (_, suspension, reason) => {
    const name = `two${reason.length}`;
    const { id } = await user(name);
    await change(name, suspension);
    await active(id, false);
    expect(await suspensionOf(name)).toEqual(both(reason));
    expect((await active(id, true)).body.active).toBe(false);
    expect(await suspensionOf(name)).toEqual([true, reason]);
    await scim('DELETE', `Users/${id}`);
  });

  it('stays so under another reason or end, and where the directory removes it', async () => {
    const { id } = await user('ed');
    await change('ed', { suspended: true, suspension_reason: 'Theft.' });
    await active(id, false);
    await change('ed', { suspended: null, suspended_until: '2999-01-01T00:00:00Z', suspension_reason: 'Found.' });
    expect(await suspensionOf('ed')).toEqual(both('Found.'));
    expect((await scim('DELETE', `Users/${id}`)).status).toBe(204);
    expect(await suspensionOf('ed')).toEqual(both('Found.', 'removed'));
    await change('ed', lifted);
    expect(await suspensionOf('ed')).toEqual([true, 'By directory/okta: removed.']);
    expect((await user('ed')).active).toBe(true);
  });
});

it('names the owner of a membership that it would overwrite, and takes one value where there is one', async () => {
  const value = (await user('gil')).id;
  const made = await scim('POST', 'Groups', { displayName: 'authz-gil' });
  const fields = { group: 'authz-gil', entity_type: 'subject', entity: 'user/gil' };
  await cloud.commit(admin, [{ op: 'create', kind: 'group_membership', fields }]);
  const put = await scim('PUT', `Groups/${made.body.id}`, { displayName: 'authz-gilded', members: [{ value }] });
  expect(put).toMatchObject({
    status: 409,
    body: { scimType: 'uniqueness', detail: expect.stringContaining('"api"') },
  });
  for (const two of [{ active: [true, false] }, { userName: ['gil', 'git'] }]) {
    const operation = { op: 'replace', value: two };
    const { status, body } = await scim('PATCH', `Users/${value}`, { Operations: [operation] });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('has 2 values')]);
  }
});

it('refuses a text that is not the number which it would become', async () => {
  const declared = { name: 'counted', properties: { level: 'number' } };
  const fields = { name: 'counts', subject_type: 'counted', properties: { level: 'title' } };
  await cloud.commit(admin, [
    { op: 'create', kind: 'subject_type', fields: declared },
    { op: 'create', kind: 'directory', fields },
  ]);
  const as = await cloud.key(admin, ['directory'], { directory: 'counts' });
  const status = async (title: string) =>
    (await scim('POST', 'Users', { userName: `n${title}`, title }, { as })).status;
  const texts = ['9007199254740993', '1e400', '1e-400', '0x10', 'Infinity', '017', '-1.5e3'];
  expect(await Promise.all(texts.map(status))).toEqual([400, 400, 400, 400, 400, 201, 201]);
});

it('keeps the id of a user who is renamed, and lets what Git gives follow', async () => {
  const { id } = await user('dora');
  const role = { role: 'auditor', entity_type: 'subject', entity: 'user/dora' };
  await cloud.commit(admin, [{ op: 'create', kind: 'role_assignment', fields: role }]);
  const { status, body } = await scim('PATCH', `Users/${id}`, {
    Operations: [{ op: 'replace', value: { userName: 'dorothy', 'name.formatted': 'Dorothy' } }],
  });
  expect([status, body.id, body.userName, body.displayName]).toEqual([200, id, 'dorothy', 'Dorothy']);
  expect((await record('role-assignments/auditor%2F%2Fsubject%2Fuser%2Fdorothy')).entity).toBe('user/dorothy');
  // Git gives the role still: the subject stays, and has no rights.
  expect((await scim('DELETE', `Users/${id}`)).status).toBe(204);
  expect((await scim('GET', `Users/${id}`)).status).toBe(404);
  expect(await record('subjects/user%2Fdorothy')).toMatchObject({ suspended: true, managed_by: 'directory/okta' });
  const again = await user('dorothy');
  expect([again.id === id, again.active]).toEqual([false, true]);
});

it('changes members of a group, all or none', async () => {
  const [one, two] = [await user('m1'), await user('m2')];
  const made = await scim('POST', 'Groups', { displayName: 'authz-a', members: [{ value: one.id }] });
  expect(made.body).toMatchObject({ displayName: 'authz-a', members: [{ value: one.id, type: 'User' }] });
  const place = `Groups/${made.body.id}`;
  const patch = (...Operations: object[]) => scim('PATCH', place, { Operations });
  const members = async () =>
    ((await scim('GET', place)).body.members ?? []).map(({ value }: { value: string }) => value).sort();
  await patch({ op: 'Add', path: 'members', value: [{ value: two.id }, { value: one.id }] });
  expect(await members()).toEqual([one.id, two.id].sort());
  expect(
    await patch(
      { op: 'remove', path: `members[value eq "${one.id}"]` },
      { op: 'add', path: 'members', value: [{ value: 'nobody' }] },
    ),
  ).toMatchObject({
    status: 400,
    body: { scimType: 'invalidValue', detail: expect.stringContaining('"nobody"') },
  });
  expect(await members()).toEqual([one.id, two.id].sort());
  await patch(
    { op: 'Remove', path: 'members', value: [{ value: one.id }] },
    { op: 'replace', value: { displayName: 'authz-b' } },
  );
  expect(await members()).toEqual([two.id]);
  expect(await record('group-memberships/authz-b%2F%2Fsubject%2Fuser%2Fm2')).toMatchObject({
    managed_by: 'directory/okta',
  });
  const found = await scim(
    'GET',
    `Groups?filter=${encodeURIComponent(`members[value eq "${two.id}"]`)}&excludedAttributes=members`,
  );
  expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: made.body.id }] });
  expect(found.body.Resources[0].members).toBeUndefined();
  await patch({ op: 'remove', path: 'members' });
  expect(await members()).toEqual([]);
  expect((await scim('DELETE', place)).status).toBe(204);
  expect((await scim('DELETE', place)).status).toBe(404);
});

it('refuses what belongs to others, what is there already and what it does not take', async () => {
  const { id } = await user('erin');
  const refused = async (method: string, path: string, body?: unknown, more: Ask = {}) => {
    const answer = await scim(method, path, body, more);
    expect(answer.body.schemas ?? answer.body).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
    return [answer.status, answer.body.scimType, answer.body.detail];
  };
  const said = (text: string) => expect.stringContaining(text);
  expect(await refused('POST', 'Users', { userName: 'git' })).toEqual([409, 'uniqueness', said('"api"')]);
  expect(await refused('POST', 'Users', { userName: 'ERIN' })).toEqual([409, 'uniqueness', said('"ERIN"')]);
  expect(await refused('POST', 'Groups', { displayName: 'admins' })).toEqual([400, 'invalidValue', said('"authz-"')]);
  expect(await refused('POST', 'Users', {})).toEqual([400, 'invalidValue', said('"userName"')]);
  expect(await refused('GET', 'Users?filter=userName%20is%201')).toEqual([400, 'invalidFilter', said('userName is 1')]);
  expect(await refused('PATCH', `Users/${id}`, { Operations: [{ op: 'move' }] })).toEqual([
    400,
    'invalidSyntax',
    said('move'),
  ]);
  expect(await refused('PATCH', `Users/${id}`, { Operations: [{ op: 'add', path: '__proto__.x', value: 1 }] })).toEqual(
    [400, 'invalidPath', said('__proto__')],
  );
  expect(await refused('PATCH', `Users/${id}`, { Operations: [{ op: 'remove' }] })).toEqual([
    400,
    'noTarget',
    said('path'),
  ]);
  expect(await refused('PUT', `Users/${id}`, { userName: 'erin' }, { headers: { 'if-match': 'W/"0"' } })).toEqual([
    412,
    undefined,
    said('changed'),
  ]);
  expect(await refused('GET', 'Users/nobody')).toEqual([404, undefined, said('nobody')]);
  expect(await refused('GET', 'Bulk')).toEqual([404, undefined, said('/scim/v2/Bulk')]);
  expect(await refused('GET', 'Users', undefined, { as: admin })).toEqual([403, undefined, said('directory')]);
  expect(await refused('GET', 'Users', undefined, { as: 'svc_wrong' })).toEqual([401, undefined, said('refused')]);
  expect(await refused('POST', 'Users', '{', {})).toEqual([400, 'invalidSyntax', said('JSON')]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

it('keeps the key of a directory from everything else', async () => {
  const role = { op: 'create', kind: 'role', fields: { name: 'r' } };
  expect(
    (await cloud.ask('POST', '/v1/changesets', { as: okta, body: { changes: [role], stack: 'directory/okta' } }))
      .status,
  ).toBe(403);
  expect((await cloud.ask('GET', '/v1/subjects', { as: okta })).status).toBe(403);
  const { status, body } = await cloud.ask('POST', '/v1/changesets', {
    as: admin,
    body: { changes: [role], stack: 'directory/okta' },
  });
  expect([status, body.code]).toEqual([409, 'not_owner']);
  const both = { name: 'both', scopes: ['directory', 'decisions'], directory: 'okta' };
  expect((await cloud.ask('POST', '/v1/api-keys', { as: admin, body: both })).body.detail).toContain('alone');
});

it('joins what arrives together into one revision, and refuses only what is at fault', async () => {
  const revision = async () => Number((await cloud.ask('GET', '/v1/state', { as: admin })).body.revision.split('.')[0]);
  const before = await revision();
  const made = await Promise.all(
    [...Array(20).keys()].map((index) => scim('POST', 'Users', { userName: index === 7 ? 'git' : `j${index}` })),
  );
  expect(made.map(({ status }) => status)).toEqual([...Array(20).keys()].map((index) => (index === 7 ? 409 : 201)));
  expect((await revision()) - before).toBeLessThan(10);
  const twice = await Promise.all([
    scim('POST', 'Users', { userName: 'twice' }),
    scim('POST', 'Users', { userName: 'Twice' }),
  ]);
  expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
  // A change that the cloud refuses only once it is staged.
  const [group] = await Promise.all([
    scim('POST', 'Groups', { displayName: 'authz-x' }),
    scim('POST', 'Groups', { displayName: `authz-${'x'.repeat(300)}` }).then(({ status, body }) =>
      expect([status, body.scimType]).toEqual([400, 'invalidValue']),
    ),
  ]);
  expect(group.status).toBe(201);
});

it('lists by pages, filters and order', async () => {
  const list = async (query: string) => (await scim('GET', `Users?${query}`)).body;
  const all = await list('');
  expect(all).toMatchObject({ startIndex: 1, itemsPerPage: all.totalResults });
  const page = await list('startIndex=2&count=2');
  expect(page.Resources).toEqual(all.Resources.slice(1, 3));
  expect(await list('count=0')).toMatchObject({ totalResults: all.totalResults, Resources: [] });
  const filtered = async (filter: string) =>
    (await list(`filter=${encodeURIComponent(filter)}&sortBy=userName`)).Resources.map(
      (one: { userName: string }) => one.userName,
    );
  expect(await filtered('userName eq "ALICE"')).toEqual(['alice']);
  expect(await filtered('externalId eq "ext-1"')).toEqual(['alice']);
  expect(await filtered('externalId eq "EXT-1"')).toEqual([]);
  expect(await filtered('department eq "finance"')).toEqual(['alice']);
  expect(await filtered('emails[type eq "work" and value co "acme"]')).toEqual(['alice']);
  expect(await filtered('emails.value ew ".example" and not (userName sw "b")')).toEqual(['alice']);
  expect(await filtered('userName sw "m"')).toEqual(['m1', 'm2']);
  expect(await filtered('active eq "False"')).toEqual(['carl', 'cleo']);
  expect(
    (
      await list(
        `filter=${encodeURIComponent('userName sw "m"')}&sortBy=userName&sortOrder=descending&attributes=userName`,
      )
    ).Resources,
  ).toEqual([
    { schemas: expect.anything(), id: expect.anything(), userName: 'm2' },
    { schemas: expect.anything(), id: expect.anything(), userName: 'm1' },
  ]);
});

it('tells what it can do', async () => {
  expect((await scim('GET', 'ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
  });
  expect((await scim('GET', 'ResourceTypes')).body).toMatchObject({ totalResults: 2 });
  expect((await scim('GET', 'Schemas/urn:ietf:params:scim:schemas:core:2.0:User')).body).toMatchObject({
    name: 'User',
  });
  expect((await scim('GET', 'Schemas/urn:none')).status).toBe(404);
});

it('is refused by an access rule, which the answer names', async () => {
  const { id } = await user('rita');
  const group = (await scim('POST', 'Groups', { displayName: 'authz-shop' })).body.id;
  const only = { subjects: { named: ['user/git'] }, actions: ['read'], resources: { types: ['shop/order'] } };
  const reads = { application: 'shop', name: 'p', effect: 'ALLOW', resource_type: 'shop/order', actions: ['read'] };
  await cloud.commit(admin, [
    { op: 'create', kind: 'application', fields: { name: 'shop' } },
    { op: 'create', kind: 'resource_type', fields: { application: 'shop', name: 'order', actions: ['read'] } },
    { op: 'create', kind: 'policy', fields: reads },
    {
      op: 'create',
      kind: 'policy_assignment',
      fields: { policy: 'shop/p', entity_type: 'group', entity: 'authz-shop' },
    },
    { op: 'create', kind: 'access_rule', fields: { name: 'git-alone', only } },
  ]);
  const Operations = [{ op: 'add', path: 'members', value: [{ value: id }] }];
  const [refused, made] = await Promise.all([
    scim('PATCH', `Groups/${group}`, { Operations }),
    scim('POST', 'Users', { userName: 'rob' }),
  ]);
  expect(refused).toMatchObject({
    status: 409,
    body: { status: '409', detail: expect.stringMatching(/git-alone[\s\S]*user\/rita/) },
  });
  expect(made.status).toBe(201);
  expect((await scim('GET', `Groups/${group}`)).body.members).toBeUndefined();
});

it('holds what takes away more in an hour than the directory may, and nothing else', async () => {
  const fields = { name: 'brake', removals: '20%', groups_emptied: 1, suspensions: '40%' };
  await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
  const as = await cloud.key(admin, ['directory'], { directory: 'brake' });
  const ask = (method: string, path: string, body?: unknown) => scim(method, path, body, { as });
  const people = await Promise.all(
    [...Array(10).keys()].map(async (index) => (await ask('POST', 'Users', { userName: `h${index}` })).body.id),
  );
  const members = (from: number) => people.slice(from, from + 2).map((value) => ({ value }));
  const groups = await Promise.all(
    [...Array(3).keys()].map(
      async (index) => (await ask('POST', 'Groups', { displayName: `g${index}`, members: members(index) })).body.id,
    ),
  );
  const status = async (method: string, path: string, body?: unknown) => (await ask(method, path, body)).status;
  const suspend = (id: string) =>
    status('PATCH', `Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] });
  expect(await Promise.all(people.slice(0, 5).map(suspend))).toEqual([200, 200, 200, 200, 503]);
  expect(await Promise.all(people.slice(6).map((id) => status('DELETE', `Users/${id}`)))).toEqual([204, 204, 503, 503]);
  // Each time one of the memberships, of which it may remove one.
  const remove = (group: string, id: string) =>
    status('PATCH', `Groups/${group}`, { Operations: [{ op: 'remove', path: `members[value eq "${id}"]` }] });
  expect([await remove(groups[0], people[0]), await remove(groups[0], people[1])]).toEqual([200, 503]);
  expect(await status('DELETE', `Groups/${groups[2]}`)).toBe(503);
  const held = await ask('DELETE', `Users/${people[9]}`);
  expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(held.body).toMatchObject({
    status: '503',
    detail: expect.stringMatching(
      /remove or rename 3 of 10 people.*at most 2.*"removals": 20%.*directory status brake/,
    ),
  });
  // All else goes on.
  expect(await status('POST', 'Users', { userName: 'new' })).toBe(201);
  expect(await status('PUT', `Users/${people[9]}`, { userName: 'h9', displayName: 'H' })).toBe(200);
  // An operator lets it through.
  const raised = { removals: '100%', groups_emptied: null };
  expect((await cloud.ask('PATCH', '/v1/directories/brake', { as: admin, body: raised })).status).toBe(200);
  expect(await status('DELETE', `Users/${people[9]}`)).toBe(204);
  expect(await status('DELETE', `Groups/${groups[2]}`)).toBe(204);
  const { body: metrics } = await cloud.ask('GET', '/metrics');
  expect(String(metrics)).toMatch(/service_cloud_directory_holds_total\{limit="removals"\} 5/);
});

it('holds what requests take away by a rename or beside each other', async () => {
  const fields = { name: 'sly', removals: '60%', groups_emptied: 0, suspensions: '0%' };
  await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
  const as = await cloud.key(admin, ['directory'], { directory: 'sly' });
  const ask = (method: string, path: string, body?: unknown) => scim(method, path, body, { as });
  const made = async (userName: string) => (await ask('POST', 'Users', { userName })).body.id;
  const people = await Promise.all(['s0', 's1', 's2', 's3'].map(made));
  const group = async (displayName: string, from: number) => {
    const members = people.slice(from, from + 2).map((value) => ({ value }));
    return (await ask('POST', 'Groups', { displayName, members })).body.id;
  };
  const [one] = [await group('one', 0), await group('two', 2)];
  expect((await ask('PUT', `Groups/${one}`, { displayName: 'renamed' })).body.detail).toMatch('groups_emptied');
  const value = { userName: 's9', active: false };
  const suspended = await ask('PATCH', `Users/${people[0]}`, { Operations: [{ op: 'replace', value }] });
  expect(suspended.body.detail).toMatch('suspensions');
  // Both together are all members of one group.
  const gone = await Promise.all(people.slice(2).map((id) => ask('DELETE', `Users/${id}`)));
  expect(gone.map(({ status }) => status)).toEqual([204, 503]);
  const renamed = await Promise.all(
    people.slice(0, 2).map((id, at) => ask('PUT', `Users/${id}`, { userName: `other${at}` })),
  );
  expect(renamed.map(({ status, body }) => body.detail ?? status)).toEqual([
    200,
    expect.stringContaining('rename 3 of 4 people'),
  ]);
  // The members of a group that is renamed keep what it has.
  const members = people.slice(0, 2).map((each) => ({ value: each }));
  expect((await ask('PUT', `Groups/${one}`, { displayName: 'renamed', members })).status).toBe(200);
});

it('shows what is held, and lets exactly that through or discards it', async () => {
  const fields = { name: 'shown', subject_type: 'shown', removals: '0%' };
  await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
  const as = await cloud.key(admin, ['directory'], { directory: 'shown' });
  const ask = (method: string, path: string, body?: unknown) => scim(method, path, body, { as });
  const made = async (userName: string) => (await ask('POST', 'Users', { userName })).body.id;
  const [one, two, three] = [await made('t1'), await made('t2'), await made('t3')];
  const status = async () => (await cloud.ask('GET', '/v1/directories/shown/status', { as: admin })).body;
  const remove = async (id: string) => (await ask('DELETE', `Users/${id}`)).status;
  const decide = async (decision: string) =>
    (await cloud.ask('POST', '/v1/directories/shown/held-changes', { as: admin, body: { decision } })).body;
  expect(await status()).toMatchObject({ subjects: 3, groups: 0, held_count: 0, held: [] });
  expect([await remove(one), await remove(one), await remove(two)]).toEqual([503, 503, 503]);
  expect(await status()).toMatchObject({
    held_count: 2,
    held: [{ state: 'held', braked: 'removals' }, { state: 'held' }],
    last_sync: expect.any(String),
  });
  expect(await decide('release')).toEqual({ decided: 2 });
  // One more is no part of that.
  expect([await remove(one), await remove(three)]).toEqual([204, 503]);
  expect(await decide('discard')).toEqual({ decided: 1 });
  expect([await remove(three), await remove(two)]).toEqual([409, 204]);
  expect(await status()).toMatchObject({ subjects: 1, held_count: 0, held: [{ state: 'discarded' }] });
  expect(await remove(await made('t4'))).toBe(503);
  expect(await status()).toMatchObject({ held_count: 1, held: [{ state: 'held' }, { state: 'discarded' }] });
  // The key of a directory decides on nothing.
  for (const path of ['status', 'held-changes', 'adopted-records']) {
    const method = path === 'status' ? 'GET' : 'POST';
    expect(
      (await cloud.ask(method, `/v1/directories/shown/${path}`, { as, ...(method === 'POST' && { body: {} }) })).status,
      path,
    ).toBe(403);
  }
});

it('still counts what it has taken away after a restart', async () => {
  const fields = { name: 'kept', subject_type: 'kept', removals: '50%' };
  await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
  const as = await cloud.key(admin, ['directory'], { directory: 'kept' });
  const made = async (userName: string) => (await scim('POST', 'Users', { userName }, { as })).body.id;
  const [one, two] = [await made('k1'), await made('k2')];
  expect((await scim('DELETE', `Users/${one}`, undefined, { as })).status).toBe(204);
  await cloud.restart();
  expect((await scim('DELETE', `Users/${two}`, undefined, { as })).status).toBe(503);
  expect((await cloud.ask('GET', '/v1/directories/kept/status', { as: admin })).body).toMatchObject({
    taken_away: { people: 1, renamed: 0 },
    held_count: 1,
  });
});

it('takes over what an operator hands to it', async () => {
  const fields = { name: 'heir', subject_type: 'heir', groups: { prefix: 'heir-' } };
  await cloud.commit(admin, [{ op: 'create', kind: 'directory', fields }]);
  const as = await cloud.key(admin, ['directory'], { directory: 'heir' });
  const changes = [
    { op: 'create', kind: 'subject', fields: { type: 'heir', id: 'rose', name: 'Rose' } },
    { op: 'create', kind: 'group', fields: { name: 'heir-all' } },
    {
      op: 'create',
      kind: 'group_membership',
      fields: { group: 'heir-all', entity_type: 'subject', entity: 'heir/rose' },
    },
    { op: 'create', kind: 'group', fields: { name: 'others' } },
  ];
  await cloud.ask('POST', '/v1/changesets', { as: admin, body: { stack: 'git', changes } });
  const user = { userName: 'rose' };
  expect((await scim('POST', 'Users', user, { as })).status).toBe(409);
  const adopt = async (addresses: string[]) =>
    await cloud.ask('POST', '/v1/directories/heir/adopted-records', { as: admin, body: { addresses } });
  expect((await adopt(['group/others'])).body.detail).toContain('does not begin with "heir-"');
  expect((await adopt(['directory/heir'])).status).toBe(409);
  expect((await adopt(['subject/heir/nobody'])).status).toBe(404);
  const all = ['subject/heir/rose', 'group/heir-all', 'group_membership/heir-all//subject/heir/rose'];
  const { body } = await adopt(all);
  expect(body.adopted).toEqual(all.map((address) => ({ address, taken_from: 'git' })));
  expect((await adopt(all)).body.adopted).toEqual([]);
  const taken = await scim('POST', 'Users', user, { as });
  expect(taken.status).toBe(201);
  const group = await scim('POST', 'Groups', { displayName: 'heir-all', members: [{ value: taken.body.id }] }, { as });
  expect(group.status).toBe(201);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ask, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
});

afterAll(() => cloud.close());

const REPOSITORY = 'https://github.com/acme/access';
const COMMIT = 'abc1234567890abcdef1234567890abcdef12345';
const SOURCE = { repository: REPOSITORY, commit: COMMIT };
const send = (body: object, more: Ask = {}) => cloud.ask('POST', '/v1/changesets', { as: admin, body, ...more });
const origins = async (...addresses: string[]) =>
  (await cloud.ask('POST', '/v1/record-origins', { as: admin, body: { addresses } })).body.origins;
const role = (name: string, description?: string) => ({ op: 'create', kind: 'role', fields: { name, description } });
const revision = async () => (await cloud.ask('GET', '/v1/state', { as: admin })).body.revision as string;

describe('the origins of a change-set', () => {
  it('are kept beside the records that it writes, with a link to the line', async () => {
    const places = { 'tenant/roles.yaml': { 'role/a': 14 } };
    const { status } = await send({ stack: 'git', origins: { ...SOURCE, places }, changes: [role('a'), role('b')] });
    expect(status).toBe(200);
    const link = `${REPOSITORY}/blob/${COMMIT}/tenant/roles.yaml#L14`;
    expect(await origins('role/a', 'role/b', 'role/nobody')).toEqual([
      { address: 'role/a', ...SOURCE, path: 'tenant/roles.yaml', line: 14, link },
      { address: 'role/b', ...SOURCE, link: `${REPOSITORY}/commit/${COMMIT}` },
    ]);
  });

  it('are named by the commit in the audit trail, without the places', async () => {
    const [last] = (await cloud.ask('GET', '/v1/audit?limit=1', { as: admin })).body.items;
    expect(last.source).toEqual({ ...SOURCE, link: `${REPOSITORY}/commit/${COMMIT}` });
    await send({ changes: [role('told-nothing')] });
    const [silent] = (await cloud.ask('GET', '/v1/audit?limit=1', { as: admin })).body.items;
    expect(silent).not.toHaveProperty('source');
  });

  it('say in the audit trail who stands behind the commit, and not beside the records', async () => {
    const provenance = {
      author: 'ann',
      pull_request: 214,
      approved_by: ['bob', 'eve'],
      pipeline: `${REPOSITORY}/actions/runs/7`,
    };
    await send({ stack: 'git', origins: { ...SOURCE, ...provenance }, changes: [role('given')] });
    const [last] = (await cloud.ask('GET', '/v1/audit?limit=1', { as: admin })).body.items;
    const links = { link: `${REPOSITORY}/commit/${COMMIT}`, pull_request_link: `${REPOSITORY}/pull/214` };
    expect(last.source).toEqual({ ...SOURCE, ...provenance, ...links });
    expect(await origins('role/given')).toEqual([{ address: 'role/given', ...SOURCE, link: links.link }]);
    await send({ stack: 'git', origins: { approved_by: ['bob'] }, changes: [role('given-alone')] });
    const [alone] = (await cloud.ask('GET', '/v1/audit?limit=1', { as: admin })).body.items;
    expect(alone.source).toEqual({ approved_by: ['bob'] });
    const refused = await send({ stack: 'git', origins: { pipeline: 'https://t:secret@x/1' }, changes: [role('no')] });
    expect([refused.status, JSON.stringify(refused.body).includes('secret')]).toEqual([400, false]);
  });

  it('are part of no digest, no record and no state', async () => {
    const change = { op: 'update', address: 'role/a', fields: { name: 'a', description: 'same' } };
    const back = { op: 'update', address: 'role/a', fields: { name: 'a' } };
    const digest = (text: string) => text.split('.')[1];
    const without = (await send({ stack: 'git', changes: [change] })).body.revision;
    await send({ stack: 'git', changes: [back] });
    const told = { ...SOURCE, places: { 'roles.yaml': { 'role/a': 2 } } };
    const with_ = (await send({ stack: 'git', origins: told, changes: [change] })).body.revision;
    expect(digest(with_)).toBe(digest(without));
    for (const path of ['/v1/state', '/v1/roles/a', '/v1/audit'])
      expect(JSON.stringify((await cloud.ask('GET', path, { as: admin })).body)).not.toContain('roles.yaml');
  });

  it('without a change make no revision, and move what is shown', async () => {
    const before = await revision();
    const told = { uncommitted: true, places: { 'moved/roles.yaml': { 'role/a': 5 }, 'b.yaml': { 'role/b': 1 } } };
    const { status, body } = await send({ stack: 'git', origins: told, changes: [] });
    expect({ status, revision: body.revision, changed: body.changed }).toEqual({
      status: 200,
      revision: before,
      changed: 0,
    });
    expect(await revision()).toBe(before);
    expect(await origins('role/a')).toEqual([
      { address: 'role/a', uncommitted: true, path: 'moved/roles.yaml', line: 5 },
    ]);
  });

  it('are forgotten when somebody changes the record who tells nothing', async () => {
    await send({ stack: 'git', origins: SOURCE, changes: [role('forgotten')] });
    await send({ stack: 'other', take_ownership: true, changes: [{ op: 'adopt', address: 'role/forgotten' }] });
    expect(await origins('role/forgotten')).toEqual([]);
  });

  it.each([
    ['a URL with a password', { repository: 'https://user:s3cret@github.com/acme/access' }, '/origins/repository'],
    ['a URL with a token alone', { repository: 'https://s3cret@github.com/acme/access' }, '/origins/repository'],
    ['a branch as commit', { commit: 'main' }, '/origins/commit'],
    ['a path that leads out', { places: { '../s3cret.yaml': { 'role/a': 1 } } }, '/origins/places/..~1s3cret.yaml'],
    ['a line 0', { places: { 'a.yaml': { 'role/a': 0 } } }, '/origins/places/a.yaml/role~1a'],
    [
      'two places',
      { places: { 'a.yaml': { 'role/a': 1 }, 'b.yaml': { 'role/a': 1 } } },
      '/origins/places/b.yaml/role~1a',
    ],
    ['the place of no record', { places: { 'a.yaml': { 'role/x': 1 } } }, '/origins/places/a.yaml/role~1x'],
    [
      'the place of what others own',
      { places: { 'a.yaml': { 'role/theirs': 1 } } },
      '/origins/places/a.yaml/role~1theirs',
    ],
  ])('are refused with %s, and nothing is written', async (_, told, pointer) => {
    if (pointer.includes('theirs')) await send({ stack: 'theirs', changes: [role('theirs')] });
    const before = [await revision(), await origins('role/a')];
    for (const changes of [[], [role('new')]]) {
      const { status, body } = await send({ stack: 'git', origins: told, changes });
      expect({ status, code: body.code, pointer: body.errors[0].pointer }).toEqual({
        status: 400,
        code: 'invalid_request',
        pointer,
      });
      if (!pointer.includes('places')) expect(JSON.stringify(body)).not.toContain('s3cret');
    }
    expect([await revision(), await origins('role/a')]).toEqual(before);
  });

  it('need a stack', async () => {
    const { status, body } = await send({ origins: SOURCE, changes: [role('stackless')] });
    expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 400, pointer: '/stack' });
  });

  it('are told only by who may write the records', async () => {
    const places = { 'a.yaml': { 'role/a': 77 } };
    await cloud.commit(admin, [{ op: 'create', kind: 'application', fields: { name: 'x' } }]);
    for (const [name, fields, status] of [
      ['reader', { scopes: ['records:read'] }, 403],
      ['other-stack', { scopes: ['records:write'], limits: { stacks: ['other'] } }, 403],
      ['other-application', { scopes: ['records:write'], limits: { stacks: ['git'], applications: ['x'] } }, 403],
      ['own', { scopes: ['records:write'], limits: { stacks: ['git'] } }, 200],
    ] as const) {
      const made = await cloud.ask('POST', '/v1/api-keys', { as: admin, body: { name, ...fields } });
      const answer = await send({ stack: 'git', origins: { places }, changes: [] }, { as: made.body.secret });
      expect([name, answer.status]).toEqual([name, status]);
      if (status !== 200) expect((await origins('role/a'))[0].line).not.toBe(77);
    }
    expect((await origins('role/a'))[0].line).toBe(77);
  });

  it('are answered the same when the request is repeated, and no other with its key', async () => {
    const headers = { 'idempotency-key': 'origins' };
    const body = { stack: 'git', origins: { places: { 'a.yaml': { 'role/a': 8 } } }, changes: [] };
    const first = await send(body, { headers });
    expect((await send(body, { headers })).body).toEqual(first.body);
    const other = { ...body, origins: { places: { 'a.yaml': { 'role/a': 9 } } } };
    expect((await send(other, { headers })).body.code).toBe('idempotency_mismatch');
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, ALICE_READS, type Ask, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;
let clock = Date.parse('2026-06-01T00:00:00Z');

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => clock });
  admin = await cloud.token();
  await cloud.commit(admin, billing());
});

afterAll(() => cloud.close());

const send = (body: object, more: Ask = {}) => cloud.ask('POST', '/v1/changesets', { as: admin, body, ...more });
const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } });
const revision = async () => (await cloud.ask('GET', '/v1/state', { as: admin })).body.revision as string;
const audit = async () => (await cloud.ask('GET', '/v1/audit', { as: admin })).body.items;

describe('a change-set', () => {
  it('makes one revision and one row of audit', async () => {
    const before = Number.parseInt(await revision(), 10);
    const headers = { 'x-request-id': 'the-request' };
    const { status, body } = await send({ stack: 'git', changes: [role('a'), role('b')] }, { headers });
    expect({ status, ...body, created: body.created.length }).toMatchObject({
      status: 200,
      added: 2,
      changed: 0,
      removed: 0,
      created: 2,
    });
    expect(body.revision).toBe(await revision());
    expect(Number.parseInt(body.revision, 10)).toBe(before + 1);
    const [row, ...older] = await audit();
    expect(row).toMatchObject({
      revision: body.revision,
      at: new Date(clock).toISOString(),
      request_id: 'the-request',
      credential: { kind: 'oauth_client', id: ADMIN.id, name: 'administrator' },
      stack: 'git',
      counts: { added: 2, changed: 0, removed: 0 },
      changes: [
        { op: 'create', address: 'role/a' },
        { op: 'create', address: 'role/b' },
      ],
    });
    expect(older).toHaveLength(before);
  });

  it('is refused whole when one change is wrong', async () => {
    const before = await revision();
    const { status } = await send({ changes: [role('fine'), { op: 'delete', address: 'role/absent' }] });
    expect(status).toBe(409);
    expect(await revision()).toBe(before);
    expect((await cloud.ask('GET', '/v1/roles/fine', { as: admin })).status).toBe(404);
  });

  it('that changes nothing makes no revision', async () => {
    const before = await revision();
    const update = { op: 'update', address: 'role/a', fields: { name: 'a' } };
    for (const changes of [[], [update]]) {
      const { status, body } = await send({ changes });
      expect({ status, ...body }).toEqual({
        status: 200,
        revision: before,
        added: 0,
        changed: 0,
        removed: 0,
        created: [],
        secrets: [],
      });
    }
    expect(await revision()).toBe(before);
  });

  it('on another base is refused, naming both revisions', async () => {
    const base = await revision();
    expect((await send({ base_revision: base, changes: [role('c')] })).status).toBe(200);
    const { status, body } = await send({ base_revision: base, changes: [role('d')] });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'stale_base' });
    expect(body.detail).toContain(base);
    expect(body.detail).toContain(await revision());
  });

  it('on a base from which only credentials have changed is taken, unless it changes credentials', async () => {
    const base = await revision();
    const key = (name: string) => ({ op: 'create', kind: 'api_key', fields: { name, scopes: ['bundle'] } });
    expect((await send({ changes: [key('between')] })).status).toBe(200);
    expect(await revision()).not.toBe(base);
    expect((await send({ base_revision: base, changes: [key('late')] })).body.code).toBe('stale_base');
    expect((await send({ base_revision: base, changes: [role('late'), key('late')] })).status).toBe(409);
    const [number = '', digest = ''] = (await revision()).split('.');
    const ahead = `${Number(number) + 1}.${digest}`;
    expect((await send({ base_revision: ahead, changes: [role('late')] })).status).toBe(409);
    expect((await send({ base_revision: base, changes: [role('late')] })).status).toBe(200);
    expect((await send({ base_revision: base, changes: [role('later')] })).body.detail).toContain('servicectl audit');
  });

  it('takes nothing over from an owner who came after its base', async () => {
    const base = await revision();
    const adopt = { take_ownership: true, changes: [{ op: 'adopt', address: 'role/b' }] };
    expect((await send({ ...adopt, stack: 'meanwhile' })).status).toBe(200);
    expect((await send({ ...adopt, stack: 'late', base_revision: base })).body.code).toBe('stale_base');
    expect((await send({ ...adopt, stack: 'git', base_revision: await revision() })).status).toBe(200);
  });

  it('lets one of many on the same base through', async () => {
    const base = await revision();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => send({ base_revision: base, changes: [role(`race-${index}`)] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('without a base follows the others, one after the other', async () => {
    const before = Number.parseInt(await revision(), 10);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => send({ changes: [role(`row-${index}`)] })),
    );
    const numbers = answers.map(({ body }) => Number.parseInt(body.revision, 10)).sort((left, right) => left - right);
    expect(numbers).toEqual(Array.from({ length: 8 }, (_, index) => before + 1 + index));
  });

  it('touches no record of another stack, unless it takes ownership', async () => {
    const change = { op: 'update', address: 'role/a', fields: { name: 'a', description: 'mine' } };
    const refused = await send({ stack: 'other', changes: [change] });
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'not_owner' });
    expect((await send({ stack: 'other', take_ownership: true, changes: [change] })).status).toBe(200);
    expect((await cloud.ask('GET', '/v1/roles/a', { as: admin })).body.managed_by).toBe('other');
  });

  it('is in the decisions that follow, at once', async () => {
    const link = 'role_assignment/billing/accountant//subject/user/alice';
    const decides = async () =>
      (await cloud.ask('POST', '/v1/authorize', { as: admin, body: ALICE_READS })).body.decision;
    expect(await decides()).toBe(true);
    await cloud.commit(admin, [{ op: 'delete', address: link }]);
    expect(await decides()).toBe(false);
    await cloud.commit(admin, billing().slice(-2, -1));
    expect(await decides()).toBe(true);
  });

  it('is there after a restart, with the same revision', async () => {
    const { body: before } = await cloud.ask('GET', '/v1/state', { as: admin });
    await cloud.restart();
    const { body: after } = await cloud.ask('GET', '/v1/state', { as: admin });
    expect(after).toEqual(before);
  });
});

describe('an idempotency key', () => {
  const keyed = (key: string, body: object, as = admin) => send(body, { as, headers: { 'idempotency-key': key } });

  it('lets a repeated change-set be done once and answered as before', async () => {
    const key = randomUUID();
    const body = { changes: [role(`once-${key}`)] };
    const first = await keyed(key, body);
    const again = await keyed(key, body);
    expect(again.body).toEqual(first.body);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  it('joins repetitions that come at the same time', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => keyed(key, { changes: [role(`joined-${key}`)] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('holds whatever the order of members', async () => {
    const key = randomUUID();
    await keyed(key, { stack: 'git', changes: [role(`order-${key}`)] });
    expect((await keyed(key, { changes: [role(`order-${key}`)], stack: 'git' })).status).toBe(200);
  });

  it('is refused for another change-set', async () => {
    const key = randomUUID();
    await keyed(key, { changes: [role(`one-${key}`)] });
    const { status, body } = await keyed(key, { changes: [role(`two-${key}`)] });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'idempotency_mismatch' });
  });

  it('is not spent by a change-set that was refused', async () => {
    const key = randomUUID();
    expect((await keyed(key, { changes: [{ op: 'delete', address: 'role/absent' }] })).status).toBe(409);
    expect((await keyed(key, { changes: [role(`retry-${key}`)] })).status).toBe(200);
  });

  it('remembers a change-set that changed nothing', async () => {
    const key = randomUUID();
    await keyed(key, { changes: [] });
    expect((await keyed(key, { changes: [role('x')] })).body.code).toBe('idempotency_mismatch');
  });

  it('belongs to one credential', async () => {
    const key = randomUUID();
    const other = await cloud.key(admin, ['records:write']);
    await keyed(key, { changes: [role(`mine-${key}`)] });
    expect((await keyed(key, { changes: [role(`theirs-${key}`)] }, other)).status).toBe(200);
  });

  it('survives a restart, for a day', async () => {
    const key = randomUUID();
    const body = { changes: [role(`day-${key}`)] };
    const first = await keyed(key, body);
    await cloud.restart();
    clock += 24 * 60 * 60 * 1000;
    admin = await cloud.token();
    expect((await keyed(key, body)).body).toEqual(first.body);
    clock += 1;
    expect((await keyed(key, body)).body.code).toBe('conflict');
  });

  it('does not bring back secrets', async () => {
    const key = randomUUID();
    const changes = [
      { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } },
      { op: 'create', kind: 'oauth_client', fields: { name: 'c', scopes: ['decisions'] } },
    ];
    const { body: first } = await keyed(key, { changes });
    const { body: again } = await keyed(key, { changes });
    const [made, client] = first.secrets;
    expect((await cloud.ask('GET', '/v1/whoami', { as: made.secret })).body.credential.name).toBe('k');
    expect(await cloud.token({ id: client.client_id, secret: client.client_secret })).toBeTruthy();
    expect(again).toEqual({
      ...first,
      secrets: [
        { ...made, secret: null },
        { ...client, client_secret: null },
      ],
    });
  });
});

describe('the scopes of a change-set', () => {
  const key = { op: 'create', kind: 'api_key', fields: { name: 'granted', scopes: ['decisions'] } };
  const rows: [behaviour: string, scopes: string[], changes: object[], status: number][] = [
    ['records take records:write', ['records:write'], [role('s-1')], 200],
    ['records are not written by credentials alone', ['credentials'], [role('s-2')], 403],
    ['credentials take credentials', ['records:write', 'decisions'], [key], 403],
    ['credentials alone need no records:write', ['credentials', 'decisions'], [key], 200],
    [
      'both take both',
      ['credentials', 'records:write', 'decisions'],
      [role('s-3'), { ...key, fields: { ...key.fields, name: 'granted-2' } }],
      200,
    ],
    ['deleting a credential takes credentials', ['records:write'], [{ op: 'delete', address: 'api_key/granted' }], 403],
    [
      'nobody grants what they lack',
      ['credentials'],
      [{ ...key, fields: { name: 'more', scopes: ['decisions'] } }],
      403,
    ],
    [
      'nobody widens what they lack',
      ['credentials', 'bundle'],
      [{ op: 'update', address: 'api_key/granted', fields: { name: 'granted', scopes: ['bundle', 'decisions'] } }],
      403,
    ],
    [
      'records:read is granted by who may write',
      ['credentials', 'records:write'],
      [{ ...key, fields: { name: 'reader', scopes: ['records:read'] } }],
      200,
    ],
    [
      'an operator’s credential is changed by operators alone',
      ['credentials', 'records:write', 'bundle', 'decisions'],
      [{ op: 'delete', address: 'oauth_client/administrator' }],
      403,
    ],
  ];

  it.each(rows)('%s', async (_, scopes, changes, status) => {
    const as = await cloud.key(admin, scopes);
    const before = await revision();
    const answer = await send({ changes }, { as });
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status,
      code: status === 200 ? undefined : 'forbidden',
    });
    expect((await revision()) === before).toBe(status !== 200);
  });
});

describe('an operator', () => {
  it('makes operators, and nobody else does', async () => {
    const plain = await cloud.key(admin, ['credentials', 'bundle']);
    const body = { name: 'fleet', scopes: ['bundle'], operator: true };
    expect((await cloud.ask('POST', '/v1/api-keys', { as: plain, body })).status).toBe(403);
    const made = await cloud.ask('POST', '/v1/api-keys', { as: admin, body });
    expect({ status: made.status, operator: made.body.operator }).toEqual({ status: 201, operator: true });
    expect((await cloud.ask('GET', '/v1/whoami', { as: made.body.secret })).body.scopes).toEqual([
      'bundle',
      'operator',
    ]);
    expect((await cloud.ask('DELETE', '/v1/api-keys/fleet', { as: plain })).status).toBe(403);
    expect((await cloud.ask('DELETE', '/v1/api-keys/fleet', { as: admin })).status).toBe(204);
  });
});

it('commits 10,000 creations in one revision', async () => {
  const changes = Array.from({ length: 5000 }, (_, index) => [
    { op: 'create', kind: 'subject', fields: { type: 'user', id: `n${index}` } },
    {
      op: 'create',
      kind: 'group_membership',
      fields: { group: 'finance', entity_type: 'subject', entity: `user/n${index}` },
    },
  ]).flat();
  const { body } = await send({ changes });
  expect(body.added).toBe(10_000);
  const [row] = await audit();
  expect({ listed: row.changes.length, truncated: row.truncated, added: row.counts.added }).toEqual({
    listed: 100,
    truncated: true,
    added: 10_000,
  });
});

import { createHash } from 'node:crypto';
import { announcedKeys, followAnnouncements } from '@authz-service/core/bundle/key-set';
import { unpackBundle } from '@authz-service/core/bundle/read';
import { readServedKeys } from '@authz-service/core/bundle/served-keys';
import { keyIdOf } from '@authz-service/core/bundle/signing-key';
import { verifyStatement } from '@authz-service/core/bundle/statement';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billing, type TestAnswer, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;
let agent: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
  agent = await cloud.key(admin, ['bundle']);
});
afterAll(() => cloud.close());

const PATH = '/v1/policies/bundle';
let groups = 0;
const commit = (as = admin) =>
  cloud.commit(as, [{ op: 'create', kind: 'group', fields: { name: `group-${groups++}` } }]);

const fetchBundle = (as: string, headers: Record<string, string> = {}, query = ''): Promise<TestAnswer> =>
  cloud.ask('GET', `${PATH}${query}`, { as, headers });
const etagOf = async (as: string, query = '') => (await fetchBundle(as, {}, query)).headers.get('etag') ?? '';

/** Waits for what comes after `etag`; the second answer shows that the cloud has read the first request. */
async function waiting(as: string, seconds: number, { query = '', etag }: { query?: string; etag?: string } = {}) {
  const known = etag ?? (await etagOf(as, query));
  let done = false;
  const answer = fetchBundle(as, { 'if-none-match': known, prefer: `wait=${seconds}` }, query).finally(() => {
    done = true;
  });
  await cloud.waiters(1);
  return { answer, done: () => done, etag: known };
}

describe('a request that waits for a newer bundle', () => {
  it('is answered by the next commit', async () => {
    const { answer, etag, done } = await waiting(agent, 40);
    expect(done()).toBe(false);
    const { revision } = await commit();
    const { status, headers } = await answer;
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe(`"${revision}"`);
    expect(headers.get('etag')).not.toBe(etag);
    expect(headers.get('preference-applied')).toBe('wait=40');
    await cloud.waiters(0);
  });

  it('is answered with 304 when its time is over', async () => {
    const { status, headers } = await (await waiting(agent, 1)).answer;
    expect(status).toBe(304);
    expect(headers.get('preference-applied')).toBe('wait=1');
  });

  it.each([
    ['has an older bundle', { prefer: 'wait=40', 'if-none-match': '"1.0000000000000000"' }, 200, 'wait=40'],
    ['has none', { prefer: 'wait=40' }, 200, 'wait=40'],
    ['waits for no time', { prefer: 'wait=0', 'if-none-match': '*' }, 304, 'wait=0'],
    ['prefers something else', { prefer: 'respond-async, wait', 'if-none-match': '*' }, 304, null],
    ['prefers nonsense', { prefer: 'wait=soon', 'if-none-match': '*' }, 304, null],
  ])('is answered at once where it %s', async (_, headers, status, applied) => {
    const answer = await fetchBundle(agent, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('preference-applied')).toBe(applied);
  });

  it('waits for no longer than the cloud lets it', async () => {
    const { answer } = await waiting(agent, 4000);
    await commit();
    expect((await answer).headers.get('preference-applied')).toBe('wait=50');
  });

  it('is refused when the commit takes its credential away', async () => {
    const { body } = await cloud.ask('POST', '/v1/api-keys', {
      as: admin,
      body: { name: 'brief', scopes: ['bundle'] },
    });
    const { answer } = await waiting(body.secret, 40);
    expect((await cloud.ask('DELETE', `/v1/api-keys/${body.id}`, { as: admin })).status).toBe(204);
    expect((await answer).status).toBe(401);
  });

  it('hears of its own tenant, and an operator of all', async () => {
    const other = await cloud.tenant('neighbour');
    const operator = await cloud.key(admin, ['bundle'], { operator: true });
    const own = await waiting(agent, 40);
    const [all, one] = await Promise.all([
      fetchBundle(operator, { prefer: 'wait=40', 'if-none-match': await etagOf(operator) }).then(
        ({ status }) => status,
      ),
      cloud.waiters(2).then(() => commit(other)),
    ]);
    expect(all).toBe(200);
    expect(one.revision).toBeDefined();
    expect(own.done()).toBe(false);

    const chosen = await waiting(operator, 40, { query: '?tenant=neighbour' });
    await commit(admin);
    expect((await own.answer).status).toBe(200);
    expect(chosen.done()).toBe(false);
    await commit(other);
    expect((await chosen.answer).status).toBe(200);
  });

  it('leaves nothing behind when the caller goes', async () => {
    const gone = new AbortController();
    const answer = fetch(cloud.url + PATH, {
      headers: { authorization: `Bearer ${agent}`, prefer: 'wait=40', 'if-none-match': '*' },
      signal: gone.signal,
    });
    await cloud.waiters(1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await cloud.waiters(0);
  });

  it('is one of many that one commit answers', async () => {
    const etag = await etagOf(agent);
    const headers = { 'if-none-match': etag, prefer: 'wait=40' };
    const answers = Array.from({ length: 300 }, () => fetchBundle(agent, headers));
    await cloud.waiters(300);
    const { revision } = await commit();
    for (const { status, headers } of await Promise.all(answers)) {
      expect([status, headers.get('etag')]).toEqual([200, `"${revision}"`]);
    }
  });

  it('does not hold up a stop', async () => {
    const { answer } = await waiting(agent, 40);
    await cloud.restart();
    expect((await answer).status).toBe(304);
    admin = await cloud.token();
  });
});

describe('the keys of bundles', () => {
  const served = async () => {
    const { body } = await cloud.ask('GET', '/.well-known/jwks.json');
    return readServedKeys(JSON.stringify(body));
  };
  const stated = async (keys: Parameters<typeof verifyStatement>[2]) => {
    const { body, headers } = await fetchBundle(agent);
    const { json, jws } = await unpackBundle(body, { compressed: 1e6, unpacked: 1e7 });
    const statement = await verifyStatement(jws, createHash('sha256').update(json).digest('hex'), keys);
    expect(headers.get('bundle-key')).toBe(keyIdOf(jws ?? ''));
    return { statement, kid: keyIdOf(jws ?? '') };
  };

  it('sign each bundle, and are served apart from those of tokens', async () => {
    const { body: state } = await cloud.ask('GET', '/v1/state', { as: admin });
    const { keys } = await served();
    expect(keys).toHaveLength(1);
    const { statement } = await stated(keys);
    expect(statement).toMatchObject({
      revision: state.revision,
      tenants: [{ name: 'default', revision: state.revision }],
    });
    const { body } = await cloud.ask('GET', '/.well-known/jwks.json');
    expect(body.keys).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain('"d"');
  });

  it('change hands: who trusts the first follows to the next, over a restart of the cloud too', async () => {
    const first = await served();
    const waiter = await waiting(agent, 40);
    const { status, body } = await cloud.ask('POST', '/v1/bundle-keys', { as: admin, body: {} });
    expect(status).toBe(201);
    // Waiting callers learn of the new key, which signs the same revision.
    expect((await waiter.answer).headers.get('bundle-key')).toBe(body.kid);
    await cloud.restart();
    admin = await cloud.token();

    const second = await served();
    expect((await stated(second.keys)).kid).toBe(body.kid);
    await expect(stated(first.keys)).rejects.toMatchObject({ detail: expect.stringContaining(body.kid) });
    const followed = await followAnnouncements({ version: 0, keys: first.keys }, second.announcements);
    expect(followed).toEqual({ version: expect.any(Number), keys: second.keys });
    expect(second.keys).toContainEqual(first.keys[0]);
  });

  it('drop those before when one may have been stolen', async () => {
    const before = await served();
    const { body } = await cloud.ask('POST', '/v1/bundle-keys', { as: admin, body: { revoke: true } });
    const after = await served();
    expect(after.keys.map(({ kid }) => kid)).toEqual([body.kid]);
    expect(await followAnnouncements({ version: 0, keys: before.keys }, after.announcements)).toEqual({
      version: announcedKeys(after.announcements.at(-1) ?? '').version,
      keys: after.keys,
    });
  });

  it('are turned by operators alone', async () => {
    admin = await cloud.token();
    const other = await cloud.tenant('curious');
    expect((await cloud.ask('POST', '/v1/bundle-keys', { as: other, body: {} })).status).toBe(403);
    expect((await cloud.ask('POST', '/v1/bundle-keys', { as: admin, body: { revoke: 1 } })).status).toBe(400);
  });
});

import { createHash } from 'node:crypto';
import { decodeDeltaInSteps, unpackDelta } from '@authz-service/core/bundle/delta-read';
import { readServedKeys } from '@authz-service/core/bundle/served-keys';
import { verifyDelta } from '@authz-service/core/bundle/statement';
import { addressOf } from '@authz-service/core/records/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';

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

const group = (name: string) => ({ op: 'create', kind: 'group', fields: { name } });
const remove = (address: string) => ({ op: 'delete', address });

const ask = (etag: string | undefined, headers: Record<string, string> = {}, as = agent) =>
  cloud.ask('GET', '/v1/policies/bundle', {
    as,
    headers: { 'a-im': 'policy-delta', ...(etag !== undefined && { 'if-none-match': etag }), ...headers },
  });

const etagNow = async () => (await ask(undefined)).headers.get('etag') ?? '';

async function open(archive: Buffer) {
  const { json, jws } = await unpackDelta(archive, { compressed: 1e6, unpacked: 1e7 });
  const jwks = await (await fetch(`${cloud.url}/.well-known/jwks.json`)).text();
  const sha256 = createHash('sha256').update(json).digest('hex');
  await verifyDelta(jws, sha256, readServedKeys(jwks).keys);
  const steps = decodeDeltaInSteps(json);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

describe('the bundle, asked for as a delta', () => {
  it('is what changed since the base, signed, under the ETag of what it leads to', async () => {
    const base = await etagNow();
    await cloud.commit(admin, [group('one')]);
    await cloud.commit(admin, [group('two'), remove('group/one')]);
    const { status, headers, body } = await ask(base);
    const { body: state } = await cloud.ask('GET', '/v1/state', { as: admin });
    expect(status).toBe(226);
    expect(Object.fromEntries(headers)).toMatchObject({
      im: 'policy-delta',
      'delta-base': base,
      etag: `"${state.revision}"`,
      'content-type': 'application/gzip',
      'cache-control': 'no-store, im',
      'bundle-key': expect.stringMatching(/^bundle-/),
    });
    const delta = await open(body);
    expect(delta.base.revision).toBe(base.slice(1, -1));
    expect(delta.revision).toBe(state.revision);
    expect(delta.tenant.name).toBe('default');
    expect(
      delta.changes.map(({ before, after }) => [before, after].map((one) => one && addressOf(one.kind, one.fields))),
    ).toEqual([[undefined, 'group/two']]);
  });

  it('is empty after a commit of credentials alone', async () => {
    const base = await etagNow();
    await cloud.key(admin, ['decisions']);
    const { status, body } = await ask(base);
    expect(status).toBe(226);
    expect((await open(body)).changes).toEqual([]);
  });

  it('has a schema once it says that something is sensitive, and no longer when it does not', async () => {
    const ip = { name: 'ip', type: 'string' };
    const update = (fields: object) => ({ op: 'update', address: 'context_attribute/ip', fields });
    const sides = async (base: string) => {
      const { changes } = await open((await ask(base)).body);
      return changes.map(({ before, after }) => [before, after].map((one) => one && addressOf(one.kind, one.fields)));
    };
    const [start, schema] = [await etagNow(), 'context_attribute/ip'];
    await cloud.commit(admin, [{ op: 'create', kind: 'context_attribute', fields: ip }]);
    expect(await sides(start)).toEqual([]);
    const plain = await etagNow();
    await cloud.commit(admin, [update({ ...ip, sensitive: true })]);
    expect(await sides(plain)).toEqual([[undefined, schema]]);
    const sensitive = await etagNow();
    await cloud.commit(admin, [update({ ...ip, description: 'An address' })]);
    expect(await sides(sensitive)).toEqual([[schema, undefined]]);
    await cloud.commit(admin, [remove(schema)]);
  });

  it('comes at the commit to who waits for it', async () => {
    const base = await etagNow();
    const waiting = ask(base, { prefer: 'wait=30' });
    await cloud.waiters(1);
    await cloud.commit(admin, [group('three')]);
    const { status, headers } = await waiting;
    expect([status, headers.get('preference-applied')]).toEqual([226, 'wait=30']);
  });

  it('is not sent to who has the newest, nor to who did not ask for it', async () => {
    const base = await etagNow();
    await cloud.commit(admin, [group('four')]);
    expect((await ask(await etagNow())).status).toBe(304);
    expect((await ask(`${base}, ${await etagNow()}`)).status).toBe(304);
    for (const wish of ['', 'vcdiff', 'policy-delta;q=0']) {
      const { status, headers } = await ask(base, { 'a-im': wish });
      expect([status, headers.get('im'), headers.get('cache-control')]).toEqual([200, null, 'private, no-cache']);
    }
  });

  it('is of any base that is known, and the whole without one', async () => {
    const base = await etagNow();
    await cloud.commit(admin, [group('five')]);
    expect((await ask(`"1.0000000000000000", ${base}`)).headers.get('delta-base')).toBe(base);
    for (const unknown of [undefined, '"1.0000000000000000"', `W/${base}`, 'x'])
      expect((await ask(unknown)).status).toBe(200);
  });

  it('is whole where more than a quarter of the records changed', async () => {
    const base = await etagNow();
    const names = Array.from({ length: 10 }, (_, index) => `many${index}`);
    await cloud.commit(admin, names.map(group));
    expect((await ask(base)).status).toBe(200);
  });

  it("is whole for an operator's several tenants, and a delta for one of them", async () => {
    await cloud.tenant('other');
    const { body: key } = await cloud.ask('POST', '/v1/api-keys', {
      as: admin,
      body: { name: 'fleet', scopes: ['bundle'], operator: true },
    });
    const both = (await ask(undefined, {}, key.secret)).headers.get('etag') ?? '';
    const own = await etagNow();
    await cloud.commit(admin, [group('six')]);
    expect((await ask(both, {}, key.secret)).status).toBe(200);
    const one = await cloud.ask('GET', '/v1/policies/bundle?tenant=default', {
      as: key.secret,
      headers: { 'a-im': 'policy-delta', 'if-none-match': own },
    });
    expect(one.status).toBe(226);
  });

  it('is signed anew once the keys were turned', async () => {
    const base = await etagNow();
    await cloud.commit(admin, [group('seven')]);
    const before = await ask(base);
    await cloud.ask('POST', '/v1/bundle-keys', { as: admin, body: {} });
    const after = await ask(base);
    expect(after.status).toBe(226);
    expect(after.headers.get('bundle-key')).not.toBe(before.headers.get('bundle-key'));
    expect((await open(after.body)).revision).toBe((await open(before.body)).revision);
  });

  it('comes whole to who holds a revision that the tenant never stood at, and says so', async () => {
    const base = (await etagNow()).slice(1, -1);
    const [number] = base.split('.');
    await cloud.commit(
      admin,
      Array.from({ length: 9 }, (_, index) => group(`past${index}`)),
    );
    const saidOf = async (revision: string) => {
      const { status, headers } = await ask(`"${revision}"`, { 'a-im': '' });
      return [status, headers.get('bundle-diverged')];
    };
    expect(await saidOf(base)).toEqual([200, null]);
    for (const lost of [`${number}.0000000000000000`, `${Number(number) + 100}.0000000000000000`])
      expect(await saidOf(lost)).toEqual([200, `"${lost}"`]);
    for (const none of ['x', 'f'.repeat(64), '']) expect(await saidOf(none)).toEqual([200, null]);
  });

  it('is known again after a restart, from history', async () => {
    const old = await etagNow();
    await cloud.commit(admin, [group('eight')]);
    const base = await etagNow();
    await cloud.restart();
    admin = await cloud.token();
    expect((await ask(old)).status).toBe(226);
    await cloud.commit(admin, [group('nine')]);
    expect((await ask(old)).status).toBe(226);
    expect((await ask(base)).status).toBe(226);
  });
});

describe('a delta of much', () => {
  it('leads part of the way where that is as much as agents take at once, and the rest when they ask again', async () => {
    const many = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => group(`many-${from + n}`));
    await cloud.commit(admin, many(0, 9000));
    const base = await etagNow();
    for (const from of [9000, 9700, 10_400]) await cloud.commit(admin, many(from, from + 700));
    const newest = await etagNow();
    const steps: { etag: string; isDated: boolean }[] = [];
    for (let at = base; at !== newest; at = steps.at(-1)?.etag ?? '') {
      const { status, headers, body } = await ask(at);
      expect(status).toBe(226);
      const delta = await open(body);
      const etag = headers.get('etag') ?? '';
      expect([`"${delta.base.revision}"`, `"${delta.revision}"`, delta.changes.length]).toEqual([at, etag, 700]);
      steps.push({ etag, isDated: headers.has('bundle-newest') });
    }
    expect(steps.map(({ isDated }) => isDated)).toEqual([false, false, true]);
    // A publisher would say of each when it was the newest.
    const { status } = await ask(base, { 'service-agent': 'id=publisher:web&version=1' });
    expect(status).toBe(200);
  });
});

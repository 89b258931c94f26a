import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ALICE_READS, type Ask, billing, TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
/** Monotonic milliseconds, which the tests move. */
let clock = 0;
afterEach(() => cloud.close());

async function start(env: Record<string, string>): Promise<string> {
  clock = 0;
  cloud = await TestCloud.start({ clock: () => clock }, { SERVICE_TRUSTED_PROXIES: '127.0.0.1', ...env });
  return await cloud.token();
}
const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } });
const commit = (as: string, names: string[], more: Ask = {}) =>
  cloud.ask('POST', '/v1/changesets', { as, body: { changes: names.map(role) }, ...more });
const from = (address: string) => ({ 'x-forwarded-for': address });
const limited = async (scope: string, unit: string) => {
  const text = await (await fetch(`${cloud.url}/metrics`)).text();
  const found = new RegExp(`^service_cloud_limited_total\\{scope="${scope}",unit="${unit}"\\} (\\d+)$`, 'm').exec(text);
  return Number(found?.[1] ?? 0);
};

describe('what an operator limits', () => {
  it('is not limited and not mentioned unless set', async () => {
    const admin = await start({});
    const { headers } = await cloud.ask('GET', '/v1/roles', { as: admin });
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
  });

  it('counts requests of a credential, tells what is left, and lets it come again', async () => {
    const admin = await start({ SERVICE_CREDENTIAL_LIMITS: 'requests=3/1m' });
    const [key, other] = [await cloud.key(admin, ['records:read']), await cloud.key(admin, ['records:read'])];
    const ask = (as: string) => cloud.ask('GET', '/v1/roles', { as });
    const left = [];
    for (let turn = 0; turn < 3; turn++) {
      const { status, headers } = await ask(key);
      left.push([status, headers.get('ratelimit-policy'), headers.get('ratelimit')]);
    }
    expect(left).toEqual([
      [200, '"credential-requests";q=3;w=60', '"credential-requests";r=2;t=20'],
      [200, '"credential-requests";q=3;w=60', '"credential-requests";r=1;t=40'],
      [200, '"credential-requests";q=3;w=60', '"credential-requests";r=0;t=60'],
    ]);
    const refused = await ask(key);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    expect(refused.body.detail).toBe('This credential has used up its 3 requests in 60 s: come again in 20 s.');
    expect(refused.headers.get('retry-after')).toBe('20');
    expect(refused.headers.get('ratelimit')).toBe('"credential-requests";r=0;t=60');
    expect((await ask(other)).status).toBe(200);
    expect(await limited('credential', 'requests')).toBe(1);
    clock += 20_000;
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(429);
  });

  it('counts all credentials of a tenant together, and no other tenant, and not the operator', async () => {
    const admin = await start({ SERVICE_TENANT_LIMITS: 'requests=2/1m' });
    const [first, second] = [await cloud.tenant('first'), await cloud.tenant('second')];
    const ask = async (as: string) => (await cloud.ask('GET', '/v1/roles', { as })).status;
    expect([await ask(first), await ask(first), await ask(first)]).toEqual([200, 200, 429]);
    expect([await ask(second), await ask(admin), await ask(admin), await ask(admin)]).toEqual([200, 200, 200, 200]);
  });

  it('counts what comes from an address before it looks at credentials, and never probes', async () => {
    await start({ SERVICE_ADDRESS_LIMITS: 'requests=2/1m' });
    const ask = async (address: string, path = '/v1/roles') =>
      (await cloud.ask('GET', path, { as: 'svc_wrong', headers: from(address) })).status;
    expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')]).toEqual([401, 401, 429]);
    expect(await ask('192.0.2.2')).toBe(401);
    const network = [await ask('2001:db8::1'), await ask('2001:db8::2'), await ask('2001:db8::3')];
    expect(network).toEqual([401, 401, 429]);
    for (const path of ['/livez', '/readyz', '/metrics']) expect(await ask('192.0.2.1', path)).toBe(200);
  });

  it('lets fleets poll from one address, unless polls are limited', async () => {
    const admin = await start({
      SERVICE_ADDRESS_LIMITS: 'requests=8/1m, polls=3/1m',
      SERVICE_TENANT_LIMITS: 'requests=1/1m',
    });
    const agent = await cloud.key(admin, ['bundle']);
    const poll = async (address: string) =>
      (await cloud.ask('GET', '/v1/policies/bundle', { as: agent, headers: from(address) })).status;
    const polls = [];
    for (let turn = 0; turn < 4; turn++) polls.push(await poll('192.0.2.1'));
    expect(polls).toEqual([200, 200, 200, 429]);
    expect(await poll('192.0.2.2')).toBe(200);
    expect((await cloud.ask('GET', '/v1/roles', { as: admin, headers: from('192.0.2.1') })).status).toBe(200);
  });

  it('counts commits and the records that they change; what is refused changes nothing', async () => {
    const admin = await start({ SERVICE_TENANT_LIMITS: 'commits=2/1m, records=5/1m' });
    const writer = await cloud.key(admin, ['records:write']);
    expect((await commit(writer, ['a', 'b', 'c', 'd'])).headers.get('ratelimit')).toBe(
      '"tenant-commits";r=1;t=30, "tenant-records";r=1;t=48',
    );
    const refused = await commit(writer, ['e', 'f']);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '12']);
    expect(refused.headers.get('ratelimit')).toContain('"tenant-commits";r=1;');
    expect((await cloud.ask('GET', '/v1/roles/e', { as: admin })).status).toBe(404);
    expect((await cloud.ask('POST', '/v1/roles', { as: writer, body: { name: 'e' } })).status).toBe(201);
    expect((await cloud.ask('DELETE', '/v1/roles/e', { as: writer })).status).toBe(429);
    expect((await cloud.ask('POST', '/v1/authorize', { as: admin, body: ALICE_READS })).status).not.toBe(429);
    expect(await limited('tenant', 'records')).toBe(1);
    expect(await limited('tenant', 'commits')).toBe(1);
  });

  it('lets a change-set that is larger than the limit through once, and then waits for all of it', async () => {
    const admin = await start({ SERVICE_TENANT_LIMITS: 'records=2/1m' });
    const writer = await cloud.key(admin, ['records:write']);
    expect((await commit(writer, ['a', 'b', 'c', 'd', 'e', 'f'])).status).toBe(200);
    const refused = await commit(writer, ['g']);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '150']);
    clock += 150_000;
    expect((await commit(writer, ['g'])).status).toBe(200);
  });

  it('counts the bytes of bodies, whether or not their length is announced', async () => {
    const admin = await start({ SERVICE_CREDENTIAL_LIMITS: 'bytes=1KiB/1m' });
    const writer = await cloud.key(admin, ['records:write']);
    const body = JSON.stringify({ name: 'r', description: 'x'.repeat(700) });
    const announced = await cloud.ask('POST', '/v1/roles', { as: writer, body });
    expect(announced.status).toBe(201);
    expect(announced.headers.get('ratelimit-policy')).toBe('"credential-bytes";q=1024;w=60;qu="content-bytes"');
    expect(
      (await cloud.ask('POST', '/v1/roles', { as: writer, body: { name: 's', description: 'x'.repeat(700) } })).status,
    ).toBe(429);
    clock += 60_000;
    const chunked = await fetch(`${cloud.url}/v1/roles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/json' },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(JSON.stringify({ name: 't', description: 'x'.repeat(900) })));
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(201);
    expect((await cloud.ask('POST', '/v1/roles', { as: writer, body })).status).toBe(429);
  });

  it('counts an announced length no further than the route takes, so that nobody can shut others out with one', async () => {
    const admin = await start({ SERVICE_CREDENTIAL_LIMITS: 'bytes=1MiB/1m' });
    const writer = await cloud.key(admin, ['records:write']);
    let made = 0;
    const post = async () =>
      (await cloud.ask('POST', '/v1/roles', { as: writer, body: { name: `r${made++}` } })).status;
    const headers = { authorization: `Bearer ${writer}`, 'content-length': '999999999999999', expect: '100-continue' };
    const huge = request(`${cloud.url}/v1/roles`, { method: 'POST', headers }).on('error', () => undefined);
    huge.flushHeaders();
    await once(huge, 'continue');
    await vi.waitFor(async () => expect(await post()).toBe(429), 10_000);
    huge.destroy();
    clock += 60_000;
    expect(await post()).toBe(201);
  });

  it.each(['refused', 'broken off'])('counts the bytes of a body of unknown length that is %s', async (how) => {
    const admin = await start({ SERVICE_CREDENTIAL_LIMITS: 'bytes=3MiB/1m' });
    const writer = await cloud.key(admin, ['records:write']);
    const body = Buffer.alloc(4 << 20, ' ');
    const headers = { authorization: `Bearer ${writer}`, 'content-type': 'application/json' };
    const sent = request(`${cloud.url}/v1/roles`, { method: 'POST', headers }).on('error', () => undefined);
    sent.write(body);
    if (how === 'refused') sent.end();
    let made = 0;
    const post = () => cloud.ask('POST', '/v1/roles', { as: writer, body: { name: `r${made++}` } });
    await vi.waitFor(async () => expect((await post()).status).toBe(429), 10_000);
    sent.destroy();
  });

  it('lets fleets fetch the keys of bundles from one address', async () => {
    await start({ SERVICE_ADDRESS_LIMITS: 'requests=2/1m' });
    const ask = () => cloud.ask('GET', '/.well-known/jwks.json', { headers: from('192.0.2.1') });
    for (let turn = 0; turn < 3; turn++) expect((await ask()).status).toBe(200);
  });

  it('holds no more records in a tenant than it may, but lets it change and remove them', async () => {
    const admin = await start({ SERVICE_TENANT_RECORDS_MAX: '12' });
    await cloud.commit(admin, billing());
    const { body } = await cloud.ask('GET', '/v1/state', { as: admin });
    const names = Array.from({ length: 13 - body.records.length }, (_, index) => `r${index}`);
    const refused = await commit(admin, names);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(refused.body.detail).toContain('may hold 12');
    expect((await cloud.ask('PATCH', '/v1/groups/finance', { as: admin, body: { description: 'd' } })).status).toBe(
      200,
    );
  });
});

import { decodeBundle, unpackBundle } from '@authz-service/core/bundle/read';
import { addressOf } from '@authz-service/core/records/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

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

const fetchBundle = async (as: string, { query = '', etag }: { query?: string; etag?: string } = {}) => {
  const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
  return await cloud.ask('GET', `/v1/policies/bundle${query}`, { as, headers });
};
const open = async (bytes: Buffer) =>
  decodeBundle((await unpackBundle(bytes, { compressed: 1e6, unpacked: 1e7 })).json);

describe('the bundle', () => {
  it('holds the records of the tenant at its revision, and no credentials', async () => {
    const { status, headers, body } = await fetchBundle(agent);
    const { body: state } = await cloud.ask('GET', '/v1/state', { as: admin });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/gzip');
    expect(headers.get('etag')).toBe(`"${state.revision}"`);
    const bundle = await open(body);
    expect(bundle.revision).toBe(state.revision);
    expect(bundle.tenants.map(({ name, revision }) => ({ name, revision }))).toEqual([
      { name: 'default', revision: state.revision },
    ]);
    expect(bundle.tenants[0]?.records).toHaveLength(billing().length);
  });

  it('for some applications is that of exactly these, whatever their names', async () => {
    const named = (name: string) => ({ op: 'create', kind: 'application', fields: { name } });
    await cloud.commit(admin, ['a', 'b', 'a,b'].map(named));
    const held = async (applications: string[]) => {
      const bundle = await open((await fetchBundle(await cloud.key(admin, ['bundle'], { applications }))).body);
      const [tenant] = bundle.tenants;
      const records = tenant?.records.flatMap((record) =>
        record.kind === 'application' ? addressOf('application', record.fields) : [],
      );
      return [tenant?.slice?.applications, records];
    };
    expect(await held(['a', 'b'])).toEqual([
      ['a', 'b'],
      ['application/a', 'application/b'],
    ]);
    expect(await held(['a,b'])).toEqual([['a,b'], ['application/a,b']]);
  });

  it('is not sent again until something is committed', async () => {
    const { headers } = await fetchBundle(agent);
    const etag = headers.get('etag') ?? '';
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect((await fetchBundle(agent, { etag: tag })).status).toBe(304);
    expect((await fetchBundle(agent, { etag: '"1.0000000000000000"' })).status).toBe(200);
    await cloud.commit(admin, [{ op: 'create', kind: 'group', fields: { name: 'new' } }]);
    const fresh = await fetchBundle(agent, { etag });
    expect(fresh.status).toBe(200);
    expect(fresh.headers.get('etag')).not.toBe(etag);
  });
});

describe("an operator's bundle", () => {
  it('holds all tenants, or the one asked for', async () => {
    const { body: key } = await cloud.ask('POST', '/v1/api-keys', {
      as: admin,
      body: { name: 'fleet', scopes: ['bundle'], operator: true },
    });
    const other = await cloud.tenant('other');
    await cloud.commit(other, [{ op: 'create', kind: 'group', fields: { name: 'theirs' } }]);

    const all = await fetchBundle(key.secret);
    const bundle = await open(all.body);
    expect(bundle.tenants.map(({ name }) => name)).toEqual(['default', 'other']);
    expect(all.headers.get('etag')).toBe(`"${bundle.revision}"`);
    expect((await fetchBundle(key.secret, { etag: `"${bundle.revision}"` })).status).toBe(304);

    const { body: state } = await cloud.ask('GET', '/v1/state', { as: other });
    for (const tenant of ['other', bundle.tenants[1]?.id]) {
      const one = await open((await fetchBundle(key.secret, { query: `?tenant=${tenant}` })).body);
      expect(one.revision).toBe(state.revision);
      expect(one.tenants.map(({ name }) => name)).toEqual(['other']);
    }
    expect((await fetchBundle(key.secret, { query: '?tenant=nope' })).status).toBe(404);

    await cloud.commit(other, [{ op: 'create', kind: 'group', fields: { name: 'more' } }]);
    expect((await fetchBundle(key.secret, { etag: `"${bundle.revision}"` })).status).toBe(200);
  });

  it('holds what is left when a tenant is gone, whose credentials are dead', async () => {
    const token = await cloud.tenant('brief');
    expect((await cloud.ask('GET', '/v1/whoami', { as: token })).status).toBe(200);
    expect((await cloud.ask('DELETE', '/v1/tenants/brief', { as: admin })).status).toBe(204);
    expect((await cloud.ask('GET', '/v1/whoami', { as: token })).status).toBe(401);
    expect((await cloud.ask('GET', '/v1/tenants/brief', { as: admin })).status).toBe(404);
    await cloud.restart();
    expect((await cloud.ask('GET', '/v1/whoami', { as: token })).status).toBe(401);
    const { body } = await cloud.ask('GET', '/v1/tenants', { as: admin });
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['default', 'other']);
  });
});

describe('a decision', () => {
  it('explains itself when asked', async () => {
    const body = { ...ALICE_READS, options: { explain: true } };
    const { body: answer } = await cloud.ask('POST', '/v1/authorize', { as: admin, body });
    expect(answer.context.explanation.candidates).toMatchObject([
      { policy: 'policy/billing/approve', outcome: 'applies' },
    ]);
  });
});

describe('a bundle of one tenant', () => {
  it('is called the newest for its own tenant, also where another one has a bundle of the same name', async () => {
    const keys = [
      await cloud.key(await cloud.tenant('twin-a'), ['bundle']),
      await cloud.key(await cloud.tenant('twin-b'), ['bundle']),
    ];
    const answers = await Promise.all(keys.map((key) => fetchBundle(key)));
    const said = answers.map(({ headers }) =>
      JSON.parse(Buffer.from(headers.get('bundle-newest')?.split('.')[1] ?? '', 'base64url').toString()),
    );
    const held = await Promise.all(answers.map(async ({ body }) => (await open(body)).tenants.map(({ id }) => id)));
    expect(said.map(({ tenant }) => [tenant])).toEqual(held);
    expect(new Set(held.flat()).size).toBe(2);
    expect(said[0].bundle).toBe(said[1].bundle);
  });
});

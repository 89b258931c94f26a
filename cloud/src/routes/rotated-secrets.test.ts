import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const HOUR_MS = 60 * 60 * 1000;
let now = Date.parse('2026-05-01T12:00:00Z');
let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => now });
  admin = await cloud.token();
});
afterAll(() => cloud.close());

const make = async (kind: string, name: string, more: object = {}) =>
  (await cloud.ask('POST', `/v1/${kind}`, { as: admin, body: { name, scopes: ['records:read'], ...more } })).body;
const rotate = (path: string, body: object = {}, as = admin) => cloud.ask('POST', `/v1/${path}/secret`, { as, body });
const opens = async (secret: string) => (await cloud.ask('GET', '/v1/whoami', { as: secret })).status === 200;
const gets = (id: string, secret: string) =>
  cloud.token({ id, secret }).then(
    (token) => token,
    () => undefined,
  );

describe('a rotation', () => {
  it('gives a key another secret, ends the one before, and changes nothing else', async () => {
    const { id, secret, address, managed_by } = await make('api-keys', 'first');
    const { status, body } = await rotate(`api-keys/${id}`);
    expect([status, Object.keys(body)]).toEqual([201, ['secret']]);
    expect([await opens(secret), await opens(body.secret)]).toEqual([false, true]);
    expect((await cloud.ask('GET', '/v1/api-keys/first', { as: admin })).body).toMatchObject({
      id,
      address,
      managed_by,
    });
    const [entry] = (await cloud.ask('GET', '/v1/audit', { as: admin })).body.items;
    expect(entry.changes).toEqual([{ op: 'update', address }]);
  });

  it('leaves the secret before good for as long as it is told, over a restart, and not longer', async () => {
    const { secret } = await make('api-keys', 'overlapping');
    const { body } = await rotate('api-keys/overlapping', { overlap_seconds: 3600 });
    expect(body.former_until).toBe(new Date(now + HOUR_MS).toISOString());
    await cloud.restart();
    now += HOUR_MS - 1;
    expect([await opens(secret), await opens(body.secret)]).toEqual([true, true]);
    now += 1;
    expect([await opens(secret), await opens(body.secret)]).toEqual([false, true]);
    const refusal = (await cloud.ask('GET', '/v1/whoami', { as: secret })).body;
    expect([refusal.code, refusal.detail]).toEqual(['unauthorized', expect.stringMatching(/has expired \(2026-05/)]);
    admin = await cloud.token();
  });

  it('does the same for a client, whose tokens end with the secret that they were issued for', async () => {
    const { client_id: id, client_secret: first } = await make('oauth-clients', 'program');
    const { body } = await rotate('oauth-clients/program', { overlap_seconds: 60 });
    expect(body).toMatchObject({ client_id: id, client_secret: expect.any(String), former_until: expect.any(String) });
    const [old, fresh] = [await gets(id, first), await gets(id, body.client_secret)];
    expect([await opens(old ?? ''), await opens(fresh ?? '')]).toEqual([true, true]);
    now += 60_000;
    expect([await opens(old ?? ''), await opens(fresh ?? ''), await gets(id, first)]).toEqual([false, true, undefined]);
  });

  it('ends what still overlaps, when it is asked for again without', async () => {
    const { secret } = await make('api-keys', 'twice');
    const { body } = await rotate('api-keys/twice', { overlap_seconds: 3600 });
    const again = await rotate('api-keys/twice');
    expect(await Promise.all([secret, body.secret, again.body.secret].map(opens))).toEqual([false, false, true]);
    // A change of the record leaves the secrets as they are.
    const third = await rotate('api-keys/twice', { overlap_seconds: 3600 });
    await cloud.ask('PATCH', '/v1/api-keys/twice', { as: admin, body: { description: 'changed' } });
    expect(await Promise.all([again.body.secret, third.body.secret].map(opens))).toEqual([true, true]);
    await cloud.ask('DELETE', '/v1/api-keys/twice', { as: admin });
    expect(await Promise.all([again.body.secret, third.body.secret].map(opens))).toEqual([false, false]);
  });

  it('is refused to whoever may not, and for what has no secret', async () => {
    const { secret: reader } = await make('api-keys', 'reader');
    const { secret: weaker } = await make('api-keys', 'weaker', { scopes: ['credentials'] });
    await make('api-keys', 'writer', { scopes: ['records:write'] });
    const person = { issuer: 'https://idp.example.com', subject: 'ann' };
    await make('oauth-clients', 'ann', { person });
    const refused = async (answer: ReturnType<typeof rotate>) => {
      const { status, body } = await answer;
      return [status, body.code];
    };
    expect(await refused(rotate('api-keys/writer', {}, reader))).toEqual([403, 'forbidden']);
    expect(await refused(rotate('api-keys/writer', {}, weaker))).toEqual([403, 'forbidden']);
    expect(await refused(rotate('oauth-clients/ann'))).toEqual([422, 'invalid_records']);
    expect(await refused(rotate('api-keys/nobody'))).toEqual([404, 'not_found']);
    expect(await refused(rotate('api-keys/writer', { overlap_seconds: -1 }))).toEqual([400, 'invalid_request']);
    expect(await refused(rotate('api-keys/writer', { overlap_seconds: 2_592_001 }))).toEqual([400, 'invalid_request']);
  });
});

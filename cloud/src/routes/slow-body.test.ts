import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const START = Date.parse('2026-06-01T00:00:00Z');

let cloud: TestCloud;
let clock = START;
let admin: string;

beforeEach(async () => {
  clock = START;
  cloud = await TestCloud.start({ now: () => clock });
  admin = await cloud.token();
});
afterEach(() => cloud.close());

/** Sends a request whose body ends only when `meanwhile` is done; the cloud has verified the credential by then. */
async function sendSlowly(path: string, as: string, body: object, meanwhile: () => Promise<unknown>): Promise<number> {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', expect: '100-continue' };
  const asked = request(cloud.url + path, { method: 'POST', headers });
  const answered = new Promise<number>((resolve, reject) => {
    asked.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
  });
  const [text, rest] = [JSON.stringify(body).slice(0, 5), JSON.stringify(body).slice(5)];
  // A caller that is told to continue has been accepted: the answer follows the check of the head within the same turn.
  await new Promise<void>((resolve) => asked.on('continue', resolve).flushHeaders());
  asked.write(text);
  await meanwhile();
  asked.end(rest);
  return await answered;
}

const key = async (scopes: string[], more: object = {}) => {
  const { body } = await cloud.ask('POST', '/v1/api-keys', { as: admin, body: { name: 'k', scopes, ...more } });
  return body.secret as string;
};

describe('a request whose body comes slowly', () => {
  it.each<[string, number, () => Promise<unknown>]>([
    ['does what it asks for', 201, async () => {}],
    ['does nothing once its credential is gone', 401, () => cloud.ask('DELETE', '/v1/api-keys/k', { as: admin })],
    [
      'does nothing once its credential has lost a scope',
      401,
      () => cloud.ask('PATCH', '/v1/api-keys/k', { as: admin, body: { scopes: ['decisions'] } }),
    ],
    [
      'does nothing once its credential has another secret',
      401,
      () =>
        cloud.commit(admin, [
          {
            op: 'update',
            address: 'api_key/k',
            fields: { name: 'k', scopes: ['records:write'] },
            secret: `svc_${'s'.repeat(40)}`,
          },
        ]),
    ],
    [
      'does nothing once its credential has expired',
      401,
      async () => {
        clock = START + 7_200_000;
      },
    ],
  ])('%s', async (_, status, meanwhile) => {
    const as = await key(['records:write'], { expires_at: '2026-06-01T01:00:00Z' });
    expect(await sendSlowly('/v1/roles', as, { name: 'late' }, meanwhile)).toBe(status);
    clock = START;
    expect((await cloud.ask('GET', '/v1/roles/late', { as: admin })).status).toBe(status === 201 ? 200 : 404);
  });
});

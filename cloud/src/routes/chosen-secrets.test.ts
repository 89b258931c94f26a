import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const KEY = `svc_${'k'.repeat(32)}`;
const CLIENT_SECRET = 'chosen by a person';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
});
afterAll(() => cloud.close());

const send = (changes: object[], as = admin, headers = {}) =>
  cloud.ask('POST', '/v1/changesets', { as, body: { changes }, headers });
const keyFields = (name: string, scopes = ['records:read']) => ({ name, scopes });
const makeKey = (name: string, secret: string) => ({ op: 'create', kind: 'api_key', fields: keyFields(name), secret });
const renewKey = (name: string, secret: string) => ({
  op: 'update',
  address: `api_key/${name}`,
  fields: keyFields(name),
  secret,
});
const opens = async (secret: string) => (await cloud.ask('GET', '/v1/whoami', { as: secret })).status === 200;

describe('a secret of the caller’s choosing', () => {
  it('is that of the new API key, is not shown, and survives a restart', async () => {
    const { status, body } = await send([makeKey('first', KEY)]);
    expect({ status, secrets: body.secrets, added: body.added }).toEqual({ status: 200, secrets: [], added: 1 });
    expect(await opens(KEY)).toBe(true);
    await cloud.restart();
    admin = await cloud.token();
    expect(await opens(KEY)).toBe(true);
  });

  it('replaces the former one, in a revision of its own', async () => {
    const other = `svc_${'m'.repeat(40)}`;
    await send([makeKey('renewed', `svc_${'l'.repeat(40)}`)]);
    expect((await send([renewKey('renewed', other)])).body).toMatchObject({ changed: 1, secrets: [] });
    expect([await opens(`svc_${'l'.repeat(40)}`), await opens(other)]).toEqual([false, true]);
    await cloud.restart();
    admin = await cloud.token();
    expect([await opens(`svc_${'l'.repeat(40)}`), await opens(other)]).toEqual([false, true]);
  });

  it('is that of an OAuth client', async () => {
    const fields = keyFields('client');
    const { body } = await send([{ op: 'create', kind: 'oauth_client', fields, secret: CLIENT_SECRET }]);
    const id = body.created[0].id;
    expect(await cloud.token({ id, secret: CLIENT_SECRET })).toBeTruthy();
    await send([{ op: 'update', address: 'oauth_client/client', fields, secret: `${CLIENT_SECRET} again` }]);
    await expect(cloud.token({ id, secret: CLIENT_SECRET })).rejects.toThrow('invalid_client');
    expect(await cloud.token({ id, secret: `${CLIENT_SECRET} again` })).toBeTruthy();
  });

  it.each<[string, object, number, string]>([
    ['too short a key', makeKey('x', 'svc_short'), 422, '/changes/0/secret'],
    ['a key without the prefix', makeKey('x', 'k'.repeat(50)), 422, '/changes/0/secret'],
    [
      'too short a client secret',
      { op: 'create', kind: 'oauth_client', fields: keyFields('x'), secret: 'short' },
      422,
      '/changes/0/secret',
    ],
    [
      'a secret for what is no credential',
      { op: 'create', kind: 'role', fields: { name: 'x' }, secret: KEY },
      422,
      '/changes/0/secret',
    ],
    ['the key of another', makeKey('x', KEY), 409, ''],
  ])('is refused: %s', async (_name, change, status, pointer) => {
    const answer = await send([change]);
    expect({ status: answer.status, pointer: answer.body.errors?.[0]?.pointer ?? '' }).toEqual({ status, pointer });
    expect(JSON.stringify(answer.body)).not.toContain(KEY);
  });

  it.each([12345678901234, { value: 'hidden-12345678901234' }, `svc_12345678901234${'x'.repeat(2000)}`])(
    'is repeated in no refusal, whatever it is',
    async (secret) => {
      const { status, body } = await send([{ ...makeKey('x', ''), secret }]);
      expect({ status, errors: body.errors }).toMatchObject({
        status: 400,
        errors: [{ pointer: '/changes/0/secret' }],
      });
      expect(JSON.stringify(body)).not.toContain('12345678901234');
    },
  );

  it('is refused where one change-set gives two keys the same', async () => {
    const secret = `svc_${'t'.repeat(40)}`;
    expect((await send([makeKey('twin-1', secret), makeKey('twin-2', secret)])).status).toBe(409);
  });

  it('is not set on a credential that may do more than the caller', async () => {
    await send([{ ...makeKey('strong', `svc_${'s'.repeat(40)}`), fields: keyFields('strong', ['records:write']) }]);
    const weak = await cloud.key(admin, ['credentials', 'records:read']);
    const change = { ...renewKey('strong', `svc_${'w'.repeat(40)}`), fields: keyFields('strong', ['records:write']) };
    expect((await send([change], weak)).status).toBe(403);
    expect(await opens(`svc_${'w'.repeat(40)}`)).toBe(false);
  });

  it('leaves an operator an operator', async () => {
    const body = { name: 'fleet', scopes: ['bundle'], operator: true };
    await cloud.ask('POST', '/v1/api-keys', { as: admin, body });
    const secret = `svc_${'o'.repeat(40)}`;
    await send([{ op: 'update', address: 'api_key/fleet', fields: keyFields('fleet', ['bundle']), secret }]);
    expect((await cloud.ask('GET', '/v1/whoami', { as: secret })).body.scopes).toEqual(['bundle', 'operator']);
  });
});

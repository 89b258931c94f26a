import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const ADDRESS = 'api_key/strong';
const FIELDS = { name: 'strong', scopes: ['records:write'] };

let cloud: TestCloud;
let admin: string;
/** May change credentials, and nothing else. */
let weak: string;

beforeEach(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  const body = { stack: 'theirs', changes: [{ op: 'create', kind: 'api_key', fields: FIELDS }] };
  await cloud.ask('POST', '/v1/changesets', { as: admin, body });
  weak = await cloud.key(admin, ['credentials', 'records:read']);
});
afterEach(() => cloud.close());

const commit = (as: string, change: object) =>
  cloud.ask('POST', '/v1/changesets', { as, body: { stack: 'ours', take_ownership: true, changes: [change] } });
const owner = async () => (await cloud.ask('GET', '/v1/api-keys/strong', { as: admin })).body.managed_by;

describe('a credential that may do more than the caller', () => {
  it.each([
    ['taken over', { op: 'adopt', address: ADDRESS }],
    ['taken over by an update that changes nothing', { op: 'update', address: ADDRESS, fields: FIELDS }],
    ['changed', { op: 'update', address: ADDRESS, fields: { ...FIELDS, description: 'x' } }],
    ['renamed', { op: 'move', from: ADDRESS, to: 'api_key/other' }],
    ['removed', { op: 'delete', address: ADDRESS }],
  ])('is not %s', async (_, change) => {
    const { status, body } = await commit(weak, change);
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 403,
      code: 'forbidden',
      detail: expect.stringMatching(/lacks the scope "records:write" and cannot (change|remove) api_key\/strong/),
    });
    expect(await owner()).toBe('theirs');
  });
});

describe('a credential that may do no more than the caller', () => {
  it('is taken over', async () => {
    expect((await commit(admin, { op: 'adopt', address: ADDRESS })).status).toBe(200);
    expect(await owner()).toBe('ours');
  });
});

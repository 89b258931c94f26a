import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

const COUNT = 20_000;

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  const create = (id: string) => ({ op: 'create', kind: 'subject', fields: { type: 'user', id, name: 'Zoë' } });
  await cloud.commit(
    admin,
    Array.from({ length: COUNT }, (_, at) => create(`${at}`)),
  );
});
afterAll(() => cloud.close());

const state = (method = 'GET') => cloud.ask(method, '/v1/state', { as: admin });

describe('all records of a tenant', () => {
  it('come whole and in order, though they are written part by part', async () => {
    const { status, headers, body } = await state();
    expect({ status, type: headers.get('content-type'), tenant: body.tenant }).toEqual({
      status: 200,
      type: 'application/json',
      tenant: 'default',
    });
    expect(headers.get('etag')).toBe(`"${body.revision}"`);
    const addresses: string[] = body.records.map(({ address }: { address: string }) => address);
    const subjects = addresses.filter((address) => address.startsWith('subject/'));
    expect(subjects).toEqual(Array.from({ length: COUNT }, (_, at) => `subject/user/${at}`).sort());
    expect(addresses).toHaveLength(COUNT + 1);
    expect(body.records[0].fields.name).toBe('Zoë');
  });

  it('are all counted in the length', async () => {
    const { body } = await state();
    const { headers } = await state('HEAD');
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(JSON.stringify(body)));
  });

  it('are written beside other requests', async () => {
    const answered: string[] = [];
    const note = (name: string) => () => answered.push(name);
    await Promise.all([
      state().then(note('state')),
      ...['one', 'two', 'three'].map((name) => cloud.ask('GET', '/livez').then(note(name))),
    ]);
    expect(answered.at(-1)).toBe('state');
  });
});

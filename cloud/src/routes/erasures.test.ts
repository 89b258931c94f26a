import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

const EMAIL = 'alice.very.private@example.com';
const PHONE = '+49-30-555-very-private';
const NAME = 'Alice Very Private';

let cloud: TestCloud;
let operator: string;
const revisions: string[] = [];

const change = (fields: object) => ({
  op: 'update',
  address: 'subject/user/alice',
  fields: { type: 'user', id: 'alice', ...fields },
});
const commit = async (fields: object) => {
  revisions.push((await cloud.commit(operator, [change(fields)])).revision);
};
const erase = (body: object, tenant = 'default', as = operator) =>
  cloud.ask('POST', `/v1/tenants/${tenant}/erasures`, { as, body });
const state = (revision: string | undefined) => cloud.ask('GET', `/v1/state?at=${revision}`, { as: operator });
const alice = (answer: Awaited<ReturnType<typeof state>>) =>
  answer.body.records.find(({ address }: { address: string }) => address === 'subject/user/alice').fields;

/** Which of the values are in the database's files. */
async function inFiles(): Promise<string[]> {
  const files = (await readdir(cloud.dir)).filter((name) => name.startsWith('cloud.sqlite'));
  const texts = await Promise.all(files.map((name) => readFile(join(cloud.dir, name), 'latin1')));
  return [EMAIL, PHONE, NAME].filter((value) => texts.some((text) => text.includes(value)));
}

beforeAll(async () => {
  cloud = await TestCloud.start();
  operator = await cloud.token();
  await cloud.commit(operator, billing());
  await commit({ name: NAME, properties: { email: EMAIL, phone: PHONE, level: 1 } });
  // Much that is written beside it, so that pages are split and moved.
  for (let part = 0; part < 20; part++) {
    const fields = (index: number) => ({
      type: 'user',
      id: `p-${part}-${index}`,
      properties: { text: 'x'.repeat(300) },
    });
    await cloud.commit(
      operator,
      Array.from({ length: 50 }, (_, index) => ({ op: 'create', kind: 'subject', fields: fields(index) })),
    );
    await commit({ name: NAME, properties: { email: EMAIL, phone: PHONE, level: part + 2 } });
  }
});
afterAll(() => cloud.close());

describe('erasing from history', () => {
  it('is refused while the present record has the values', async () => {
    const { status, body } = await erase({ subject: 'user/alice' });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toMatch(/still has "email", "phone", "level", "name": remove that where "api" declares it/);
  });

  it('takes some properties out of every past version, and says so with each answer', async () => {
    await commit({ name: NAME, properties: { email: EMAIL, level: 1 } });
    expect(await inFiles()).toEqual([EMAIL, PHONE, NAME]);
    expect((await erase({ subject: 'user/alice', properties: ['phone'] })).body).toEqual({ versions: 21, absent: [] });
    expect(await inFiles()).toEqual([EMAIL, NAME]);
    const then = await state(revisions[0]);
    expect(alice(then)).toEqual({ type: 'user', id: 'alice', name: NAME, properties: { email: EMAIL, level: 1 } });
    expect(then.headers.get('service-erased-records')).toBe('1');
    const path = `/v1/authorize?at=${revisions[0]}`;
    const decided = await cloud.ask('POST', path, { as: operator, body: ALICE_READS });
    expect([decided.body.decision, decided.headers.get('service-erased-records')]).toEqual([true, '1']);
    expect((await state(revisions.at(-1))).headers.get('service-erased-records')).toBeNull();
  });

  it('says which properties there are none of, and notes no erasure of those', async () => {
    const events = async () => (await cloud.ask('GET', '/v1/audit/tenants', { as: operator })).body.items.length;
    const before = await events();
    const { status, body } = await erase({ subject: 'user/alice', properties: ['phone', 'emial'] });
    expect([status, body]).toEqual([200, { versions: 0, absent: ['phone', 'emial'] }]);
    expect(await events()).toBe(before);
  });

  it('takes everything out, and leaves no copy in the database', async () => {
    await state(revisions[3]);
    await commit({});
    expect((await erase({ subject: 'user/alice' })).body).toEqual({ versions: 23, absent: [] });
    expect(await inFiles()).toEqual([]);
    for (const revision of revisions) expect(alice(await state(revision))).toEqual({ type: 'user', id: 'alice' });
    await cloud.restart();
    operator = await cloud.token();
    expect(await inFiles()).toEqual([]);
    expect((await state(revisions[3])).headers.get('service-erased-records')).toBe('1');
  });

  it('sends agents no delta over what was erased', async () => {
    const ask = (revision: string | undefined) =>
      cloud.ask('GET', '/v1/policies/bundle?tenant=default', {
        as: operator,
        headers: { 'if-none-match': `"${revision}"`, 'a-im': 'policy-delta' },
      });
    const before = revisions.at(-1);
    await commit({ name: 'Alice' });
    expect([(await ask(revisions.at(-3))).status, (await ask(before)).status]).toEqual([200, 226]);
  });

  it('is in the audit of tenants, without the values', async () => {
    const { body } = await cloud.ask('GET', '/v1/audit/tenants?limit=2', { as: operator });
    const by = { kind: 'oauth_client', id: ADMIN.id, name: 'administrator' };
    expect(body.items).toMatchObject([
      { op: 'erase', tenant: { name: 'default' }, subject: 'user/alice', credential: by },
      { op: 'erase', tenant: { name: 'default' }, subject: 'user/alice', properties: ['phone'], credential: by },
    ]);
    expect(body.items[0]).not.toHaveProperty('properties');
  });

  it.each<[string, object, string, number]>([
    ['a subject that nobody knows', { subject: 'user/nobody' }, 'default', 404],
    ['a tenant that nobody knows', { subject: 'user/alice' }, 'nowhere', 404],
    ['a property without a name', { subject: 'user/alice', properties: [''] }, 'default', 400],
    ['no property', { subject: 'user/alice', properties: [] }, 'default', 400],
  ])('refuses %s', async (_, body, tenant, status) => {
    expect((await erase(body, tenant)).status).toBe(status);
  });

  it('is for operators alone', async () => {
    const { status } = await erase({ subject: 'user/alice' }, 'default', await cloud.tenant('acme'));
    expect(status).toBe(403);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billing, TestCloud } from '../../testing/test-cloud.js';

const DAY = 24 * 60 * 60 * 1000;
const BEGAN = Date.parse('2027-03-01T12:00:00Z');

let cloud: TestCloud;
let now = BEGAN;
const keys = new Map<string, string>();
/** The names of the commits, by revision. */
const names = new Map<string, string>();

const link = (kind: string, granted: string, entity: string, more: object = {}) => {
  const field = { role_assignment: 'role', group_membership: 'group' }[kind] ?? '';
  const [entity_type = '', ...path] = entity.split('/');
  return { op: 'create', kind, fields: { [field]: granted, entity_type, entity: path.join('/'), ...more } };
};
const ON_INVOICE = 'role_assignment/billing/accountant//subject/user/bob//billing/invoice/INV-1';

async function commit(by: string, name: string, changes: object[]): Promise<void> {
  now += DAY;
  names.set((await cloud.commit(keys.get(by) ?? '', changes)).revision, name);
}

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => now });
  const admin = await cloud.token();
  for (const name of ['ann', 'ben']) {
    const scopes = ['records:write', 'credentials'];
    keys.set(name, (await cloud.ask('POST', '/v1/api-keys', { as: admin, body: { name, scopes } })).body.secret);
  }
  const crowd = Array.from({ length: 150 }, (_, index) => ({
    op: 'create',
    kind: 'subject',
    fields: { type: 'user', id: `person-${index}` },
  }));
  await commit('ann', 'billing', billing());
  await commit('ben', 'crowd', [...crowd, { op: 'create', kind: 'subject', fields: { type: 'user', id: 'bob' } }]);
  await commit('ann', 'bob on INV-1', [
    link('role_assignment', 'billing/accountant', 'subject/user/bob', { resource: 'billing/invoice/INV-1' }),
  ]);
  await commit('ben', 'bob in finance', [link('group_membership', 'finance', 'subject/user/bob')]);
  await commit('ann', 'no more', [
    { op: 'delete', address: ON_INVOICE },
    { op: 'delete', address: 'group_membership/finance//subject/user/bob' },
    { op: 'delete', address: 'subject/user/person-1' },
  ]);
});
afterAll(() => cloud.close());

const time = (days: number) => new Date(BEGAN + days * DAY).toISOString();

async function found(query: Record<string, string>): Promise<[string, string[]][]> {
  const search = new URLSearchParams(query).toString();
  const { body } = await cloud.ask('GET', `/v1/audit?${search}`, { as: keys.get('ann') ?? '' });
  return body.items.flatMap((item: { revision: string; changes: { op: string; address: string }[] }) => {
    const name = names.get(item.revision);
    return name === undefined ? [] : [[name, item.changes.map(({ op, address }) => `${op} ${address}`)]];
  });
}

describe('the audit trail', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['since a time', { since: time(4) }, ['no more', 'bob in finance']],
    ['until a time', { until: time(2) }, ['crowd', 'billing']],
    ['between dates', { since: '2027-03-03', until: '2027-03-05' }, ['bob on INV-1', 'crowd']],
    ['of one credential', { actor: 'ben' }, ['bob in finance', 'crowd']],
    ['of one credential at a time', { actor: 'ben', until: time(3) }, ['crowd']],
    ['of nobody', { actor: 'nobody' }, []],
  ])('is filtered: %s', async (_, query, expected) => {
    expect((await found(query)).map(([name]) => name)).toEqual(expected);
  });

  it('finds what changed a record, also in a commit whose changes are not all listed', async () => {
    expect(await found({ record: 'group_membership/finance//subject/user/bob' })).toEqual([
      ['no more', ['delete group_membership/finance//subject/user/bob']],
      ['bob in finance', ['create group_membership/finance//subject/user/bob']],
    ]);
    expect(await found({ record: 'subject/user/person-149' })).toEqual([['crowd', ['create subject/user/person-149']]]);
    expect(await found({ record: 'subject/user/person-1' })).toEqual([
      ['no more', ['delete subject/user/person-1']],
      ['crowd', ['create subject/user/person-1']],
    ]);
    expect(await found({ record: 'role/nothing' })).toEqual([]);
  });

  it('finds what was given to a subject and taken from it', async () => {
    expect(await found({ subject: 'user/bob' })).toEqual([
      ['no more', [`delete ${ON_INVOICE}`, 'delete group_membership/finance//subject/user/bob'].sort()],
      ['bob in finance', ['create group_membership/finance//subject/user/bob']],
      ['bob on INV-1', [`create ${ON_INVOICE}`]],
      ['crowd', ['create subject/user/bob']],
    ]);
    expect((await found({ subject: 'user/alice', actor: 'ann' })).map(([name]) => name)).toEqual(['billing']);
  });

  it('goes page by page, and refuses the cursor of another filter', async () => {
    const as = keys.get('ann') ?? '';
    const first = await cloud.ask('GET', '/v1/audit?subject=user/bob&limit=1', { as });
    const cursor = `limit=1&cursor=${first.body.next_cursor}`;
    const second = await cloud.ask('GET', `/v1/audit?subject=user/bob&${cursor}`, { as });
    expect(names.get(second.body.items[0].revision)).toBe('bob in finance');
    expect((await cloud.ask('GET', `/v1/audit?subject=user/alice&${cursor}`, { as })).status).toBe(400);
  });

  it('refuses times that are none', async () => {
    const { status, body } = await cloud.ask('GET', '/v1/audit?since=yesterday', { as: keys.get('ann') ?? '' });
    expect([status, body.errors[0].pointer]).toEqual([400, '/since']);
  });

  it('says since when it knows what changed in records, and refuses what is older', async () => {
    let clock = BEGAN;
    const short = await TestCloud.start({ now: () => clock }, { SERVICE_HISTORY_DAYS: '10' });
    try {
      const made = (await short.commit(await short.token(), billing())).revision;
      clock += 30 * DAY;
      await short.restart();
      const as = await short.token();
      const { body } = await short.ask('GET', '/v1/audit?subject=user/alice', { as });
      expect([body.searched_since.revision, body.items.length]).toEqual([made, 1]);
      const early = await short.ask('GET', '/v1/audit?subject=user/alice&since=2027-01-01', { as });
      expect([early.status, early.body.code]).toEqual([410, 'outside_history']);
      expect((await short.ask('GET', '/v1/audit?since=2027-01-01', { as })).body.items.length).toBe(2);
    } finally {
      await short.close();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_READS, billing, TestCloud } from '../../testing/test-cloud.js';

const DAY = 24 * 60 * 60 * 1000;
const BEGAN = Date.parse('2027-03-01T12:00:00Z');

let cloud: TestCloud;
let admin: string;
let now = BEGAN;

/** One revision after the other, a day apart: what the tests look back on. */
const revisions: string[] = [];

const at = (point: string | undefined) => `?at=${encodeURIComponent(point ?? '')}`;
const time = (days: number) => new Date(BEGAN + days * DAY).toISOString();

async function commit(changes: object[]): Promise<void> {
  now += DAY;
  revisions.push((await cloud.commit(admin, changes)).revision);
}

const update = (address: string, fields: object) => ({ op: 'update', address, fields });
const ROLE = 'role_assignment/billing/accountant//subject/user/alice';
const alice = (properties: object) => update('subject/user/alice', { type: 'user', id: 'alice', properties });

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => now });
  // Tokens expire within the days that these tests take.
  admin = await cloud.key(await cloud.token(), ['decisions', 'records:write', 'credentials']);
  await commit(billing());
  await commit([{ op: 'delete', address: ROLE }, alice({ email: 'alice@example.com' })]);
  await commit([{ op: 'move', from: 'subject/user/alice', to: 'subject/user/alicia' }]);
  await commit([{ op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice', name: 'Another' } }]);
});

afterAll(() => cloud.close());

const decide = (point?: string, ask = '/v1/authorize') =>
  cloud.ask('POST', `${ask}${point === undefined ? '' : at(point)}`, { as: admin, body: ALICE_READS });

describe('history', () => {
  it('gives the state of each revision as it was, with its digest', async () => {
    const present = await cloud.ask('GET', '/v1/state', { as: admin });
    for (const [index, revision] of revisions.entries()) {
      const { status, body, headers } = await cloud.ask('GET', `/v1/state${at(revision)}`, { as: admin });
      expect([status, body.revision, headers.get('etag')]).toEqual([200, revision, `"${revision}"`]);
      const has = (address: string) => body.records.some((record: { address: string }) => record.address === address);
      expect([has(ROLE), has('subject/user/alice'), has('subject/user/alicia')]).toEqual(
        [
          [true, true, false],
          [false, true, false],
          [false, false, true],
          [false, true, true],
        ][index],
      );
    }
    const newest = await cloud.ask('GET', `/v1/state${at(revisions.at(-1))}`, { as: admin });
    expect(newest.body).toEqual(present.body);
  });

  it.each<[string, () => string | undefined, boolean]>([
    ['a revision', () => revisions[0], true],
    ['the number of a revision', () => revisions[0]?.split('.')[0], true],
    ['the time of a commit', () => time(1), true],
    ['a time between two commits', () => time(1.5), true],
    ['a time after the removal', () => time(2), false],
    ['the present revision', () => revisions.at(-1), false],
    ['the present time', () => new Date(now).toISOString(), false],
  ])('decides as of %s', async (_, point, decision) => {
    const { status, body, headers } = await decide(point());
    expect([status, body.decision]).toEqual([200, decision]);
    expect(headers.get('service-revision')).toMatch(/^\d+\.[0-9a-f]{16}$/);
  });

  it('searches, lists and reads as of a moment, page by page', async () => {
    const search = { subject: { type: 'user' }, action: { name: 'read' }, resource: { type: 'invoice', id: 'INV-1' } };
    const found = async (point: string | undefined) =>
      (await cloud.ask('POST', `/access/v1/search/subject${at(point)}`, { as: admin, body: search })).body.results;
    expect([await found(revisions[0]), await found(revisions[1])]).toEqual([[{ type: 'user', id: 'alice' }], []]);
    const record = await cloud.ask('GET', `/v1/subjects/user%2Falice${at(time(2))}`, { as: admin });
    expect(record.body.properties).toEqual({ email: 'alice@example.com' });
    expect((await cloud.ask('GET', '/v1/subjects/user%2Falice', { as: admin })).body.name).toBe('Another');
    const first = await cloud.ask('GET', `/v1/subjects${at(revisions[3])}&limit=1`, { as: admin });
    const cursor = `&limit=1&cursor=${first.body.next_cursor}`;
    const second = await cloud.ask('GET', `/v1/subjects${at(revisions[3])}${cursor}`, { as: admin });
    expect([first, second].map(({ body }) => body.items[0].id)).toEqual(['alice', 'alicia']);
    expect((await cloud.ask('GET', `/v1/subjects${at(revisions[2])}${cursor}`, { as: admin })).status).toBe(400);
  });

  it('sets the clock of a decision to the time that is asked for', async () => {
    const until = new Date(now + 2 * DAY).toISOString();
    const fields = { role: 'billing/accountant', entity_type: 'subject', entity: 'user/alice', expires_at: until };
    await commit([{ op: 'create', kind: 'role_assignment', fields }]);
    const given = revisions.at(-1);
    const granted = new Date(now + 1000).toISOString();
    now += 5 * DAY;
    expect((await decide(granted)).body.decision).toBe(true);
    expect((await decide(given)).body.decision).toBe(false);
    await commit([{ op: 'delete', address: ROLE }]);
  });

  it.each<[string, () => string, number, string, RegExp]>([
    ['what is no point', () => 'yesterday', 400, 'invalid_request', /"yesterday".*a revision like/],
    ['a day that is none', () => '2027-02-30', 400, 'invalid_request', /2027-02-30/],
    ['an empty point', () => '', 400, 'invalid_request', /must not be empty/],
    [
      'a time before the tenant',
      () => time(-1),
      410,
      'outside_history',
      /oldest that can be had is 1\.[0-9a-f]{16} of/,
    ],
    ['a revision to come', () => '99', 404, 'not_found', /never had this revision.*the newest is/],
    ['a revision of another digest', () => '2.0000000000000000', 404, 'not_found', /never had this revision/],
  ])('refuses %s', async (_, point, status, code, detail) => {
    const answer = await decide(point());
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.detail).toMatch(detail);
  });

  it('answers decisions and searches of a time to come by the links that begin and end until then', async () => {
    const [starts, ends] = [now + 3 * DAY, now + 5 * DAY].map((ms) => new Date(ms).toISOString());
    const links = { entity_type: 'subject', entity: 'user/alice', starts_at: starts, expires_at: ends };
    await commit([{ op: 'create', kind: 'role_assignment', fields: { role: 'billing/accountant', ...links } }]);
    const ahead = (days: number) => new Date(now + days * DAY).toISOString();
    const allowed = async (days: number) => (await decide(ahead(days))).body.decision;
    expect([await allowed(1), await allowed(3), await allowed(5)]).toEqual([false, true, false]);
    for (const path of ['/v1/state', '/v1/roles']) {
      const answer = await cloud.ask('GET', `${path}${at(ahead(1))}`, { as: admin });
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(/has not come yet/)]);
    }
    await commit([{ op: 'delete', address: ROLE }]);
  });

  it('needs the scope to read records, for decisions as well', async () => {
    const key = await cloud.key(admin, ['decisions']);
    const answer = await cloud.ask('POST', `/v1/authorize${at(revisions[0])}`, { as: key, body: ALICE_READS });
    expect([answer.status, answer.body.detail]).toEqual([403, expect.stringMatching(/"records:read"/)]);
  });

  it('shows nothing of another tenant', async () => {
    const other = await cloud.tenant('other');
    const answer = await cloud.ask('GET', `/v1/state${at(revisions[1])}`, { as: other });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });

  it('is the same after a restart', async () => {
    const path = `/v1/state${at(revisions[1])}`;
    const before = await cloud.ask('GET', path, { as: admin });
    await cloud.restart();
    expect((await cloud.ask('GET', path, { as: await cloud.token() })).body).toEqual(before.body);
  });
});

describe('the retention of history', () => {
  it('refuses what is older, naming the oldest revision that can be had, and keeps everything since', async () => {
    let clock = BEGAN;
    const short = await TestCloud.start({ now: () => clock }, { SERVICE_HISTORY_DAYS: '10' });
    try {
      const made: string[] = [];
      for (const step of [billing(), [{ op: 'delete', address: ROLE }], [alice({ level: 1 })], [alice({ level: 2 })]]) {
        clock += 4 * DAY;
        made.push((await short.commit(await short.token(), step)).revision);
      }
      clock += 3 * DAY;
      await short.restart();
      const as = await short.token();
      const answers = await Promise.all(made.map((revision) => short.ask('GET', `/v1/state${at(revision)}`, { as })));
      expect(answers.map(({ status }) => status)).toEqual([410, 200, 200, 200]);
      expect(answers[0]?.body.detail).toContain(`the oldest that can be had is ${made[1]} of`);
    } finally {
      await short.close();
    }
  });
});

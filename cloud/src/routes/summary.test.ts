import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../../testing/browser.js';
import { billing, TestCloud } from '../../testing/test-cloud.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2027-03-01T12:00:00Z');

let cloud: TestCloud;
let admin: string;
let browser: Browser;

const inDays = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
const link = (kind: string, given: object, days: number) => ({
  op: 'create',
  kind,
  fields: { ...given, entity_type: 'subject', entity: 'user/bob', expires_at: inDays(days) },
});

beforeAll(async () => {
  cloud = await TestCloud.start({ now: () => NOW });
  admin = await cloud.token();
  await cloud.commit(admin, [
    ...billing(),
    { op: 'create', kind: 'application', fields: { name: 'docs' } },
    { op: 'create', kind: 'role', fields: { name: 'auditor' } },
    { op: 'create', kind: 'role', fields: { name: 'former' } },
    { op: 'create', kind: 'subject', fields: { type: 'user', id: 'bob', name: 'Bob' } },
    { op: 'create', kind: 'subject', fields: { type: 'service', id: 'jobs' } },
    link('role_assignment', { role: 'auditor' }, 29.5),
    link('role_assignment', { role: 'former' }, -1),
    link('group_membership', { group: 'finance' }, 2),
    link('policy_assignment', { policy: 'billing/approve' }, 30),
  ]);
  browser = await Browser.signIn(cloud, admin);
});
afterAll(() => cloud.close());

it('counts subjects and grants, and lists what ends within 30 days', async () => {
  const { body } = await browser.ask('GET', '/console/api/summary');
  expect(body.subjects).toEqual([
    { type: 'user', count: 2 },
    { type: 'service', count: 1 },
  ]);
  expect(body.grants).toEqual([
    { application: 'billing', count: 3 },
    { application: null, count: 1 },
  ]);
  const auditor = {
    address: 'role_assignment/auditor//subject/user/bob',
    given: 'role/auditor',
    to: 'subject/user/bob',
    name: 'Bob',
    expires_at: inDays(29.5),
  };
  const finance = {
    address: 'group_membership/finance//subject/user/bob',
    given: 'group/finance',
    to: 'subject/user/bob',
    name: 'Bob',
    expires_at: inDays(2),
  };
  expect(body.expiring.count).toBe(2);
  expect(body.expiring.links).toEqual([finance, auditor]);
  expect(body.expiring.per_day.flatMap((count: number, day: number) => (count > 0 ? [[day, count]] : []))).toEqual([
    [2, 1],
    [29, 1],
  ]);
});

it('lists applications whose access nobody has signed off', async () => {
  expect((await browser.ask('GET', '/console/api/summary')).body.reviews).toEqual([
    { application: 'billing', signed_off_at: null },
    { application: 'docs', signed_off_at: null },
  ]);
});

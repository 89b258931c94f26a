import { finished } from '@authz-service/core/concurrency/time-slicing';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { describe, expect, it } from 'vitest';
import { differingRecords } from '../history/differing-records.js';
import { answerOf, type Base } from './analysis-answers.js';
import type { AnalysisTask, Differing, StatesCompared } from './analysis-tasks.js';

const AT = '2027-03-01T12:00:00.000Z';

function record(kind: string, path: string, fields: object, version: Partial<StoredRecord> = {}): StoredRecord {
  // A subject's id is its path.
  const own = {
    kind,
    id: kind === 'subject' ? path : `${kind} ${path}`,
    address: `${kind}/${path}`,
    fields,
    revision: 1,
  };
  return { ...own, created_at: AT, updated_at: AT, managed_by: 'api', ...version } as StoredRecord;
}

const user = (id: string, name: string, version?: Partial<StoredRecord>) =>
  record('subject', `user/${id}`, { type: 'user', id, name }, version);
const group = (name: string, version?: Partial<StoredRecord>) => record('group', name, { name }, version);
const key = (name: string, revision: number) => record('api_key', name, { name, scopes: ['decisions'] }, { revision });

/** The differences between two states, as they are sent. */
function partsOf(before: StoredRecord[], after: StoredRecord[]): Differing[] {
  const parts: Differing[] = [];
  finished(differingRecords(new TenantState(before), new TenantState(after), (part) => parts.push(part)));
  return parts;
}

function compare(before: StoredRecord[], after: StoredRecord[], listedMax = 1000): StatesCompared {
  const base = { key: 'acme', tenant: 'acme', revision: '2.0123456789abcdef', records: after };
  const task: AnalysisTask = { compared: { now: Date.parse(AT), listedMax } };
  return answerOf(task, base, partsOf(before, after)) as StatesCompared;
}

const many = (count: number, revision = 1) =>
  Array.from({ length: count }, (_, index) => user(String(index).padStart(4, '0'), 'Somebody', { revision }));

describe('what differs between two states', () => {
  it.each<[string, StoredRecord[], StoredRecord[], StatesCompared['changes'], StatesCompared['counts']]>([
    ['nothing', [user('ann', 'Ann')], [user('ann', 'Ann')], [], { added: 0, changed: 0, removed: 0 }],
    [
      'a new record',
      [],
      [user('ann', 'Ann')],
      [{ op: 'create', address: 'subject/user/ann' }],
      { added: 1, changed: 0, removed: 0 },
    ],
    [
      'a changed record',
      [user('ann', 'Ann')],
      [user('ann', 'Anna', { revision: 2 })],
      [{ op: 'update', address: 'subject/user/ann' }],
      { added: 0, changed: 1, removed: 0 },
    ],
    [
      'a renamed record, at whose address another one stands now',
      [group('ann', { id: '1' })],
      [group('anna', { id: '1', revision: 2 }), group('ann', { id: '2', revision: 2 })],
      [
        { op: 'create', address: 'group/ann' },
        { op: 'move', address: 'group/anna', from: 'group/ann' },
      ],
      { added: 1, changed: 1, removed: 0 },
    ],
    [
      'a removed record',
      [user('ann', 'Ann')],
      [],
      [{ op: 'delete', address: 'subject/user/ann' }],
      { added: 0, changed: 0, removed: 1 },
    ],
    ['credentials, which are in no history', [key('a', 1)], [key('a', 2)], [], { added: 0, changed: 0, removed: 0 }],
  ])('tells %s', (_, before, after, changes, counts) => {
    expect(compare(before, after)).toMatchObject({ changes, counts });
  });

  it('sends what differs in small parts, and tells the first changes by address', () => {
    const [before, after] = [many(900), many(1000, 2)];
    for (const { unlike, records } of partsOf(before, after))
      expect(Math.max(unlike.length, records.length)).toBeLessThanOrEqual(25);
    const { changes, counts } = compare(before, after, 2);
    expect(counts).toEqual({ added: 100, changed: 900, removed: 0 });
    expect(changes).toEqual([
      { op: 'update', address: 'subject/user/0000' },
      { op: 'update', address: 'subject/user/0001' },
    ]);
  });

  it('ends a step where little differs, too', () => {
    const same = many(2600);
    const steps = differingRecords(new TenantState(same), new TenantState(same), () => undefined);
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThanOrEqual(10);
  });

  it('tells the worst findings, and how many there are', () => {
    const application = record('application', 'shop', { name: 'shop' });
    const type = record('resource_type', 'shop/order', {
      application: 'shop',
      name: 'order',
      actions: ['read', 'pay'],
    });
    const policy = (name: string, action: string, condition: string) =>
      record('policy', `shop/${name}`, {
        ...{ application: 'shop', name, effect: 'ALLOW', resource_type: 'shop/order', actions: [action], condition },
      });
    const given = (name: string) =>
      record('policy_assignment', `shop/${name}//subject/user/ann`, {
        policy: `shop/${name}`,
        entity_type: 'subject',
        entity: 'user/ann',
      });
    const before = [application, type, user('ann', 'Ann')];
    const after = [
      ...before,
      ...[policy('read', 'read', 'context.on == true'), policy('pay', 'pay', 'context.off == true')],
      ...[given('read'), given('pay')],
    ];
    const all = compare(before, after);
    const worst = compare(before, after, 1);
    expect([all.access.findings.length, all.finding_count]).toEqual([2, 2]);
    expect([worst.access.findings, worst.finding_count]).toEqual([all.access.findings.slice(0, 1), 2]);
  });
});

describe('a review', () => {
  it('is kept for its next page, and gone once something else is asked', () => {
    const records = [record('application', 'docs', { name: 'docs' })];
    const base: Base = { key: 'acme', tenant: 'acme', revision: '2.0123456789abcdef', records };
    const now = Date.parse(AT);
    const question = { list: { list: 'rows', offset: 0, limit: 1 } } as const;
    const task: AnalysisTask = { review: { scope: { kind: 'application', path: 'docs' }, now, question } };
    answerOf(task, base, []);
    const kept = base.review;
    answerOf(task, base, []);
    expect(kept).toBeDefined();
    expect(base.review).toBe(kept);
    answerOf({ lint: { now, listedMax: 1 } }, base, []);
    expect(base.review).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import {
  APPLICATION,
  base,
  belowFolder,
  FILES,
  given,
  HR,
  holds,
  member,
  NOW,
  onFile,
  PLAN,
  page,
  policy,
  record,
  review,
  rows,
  slips,
  whoOf,
} from '../../../testing/reviewed-records.js';
import type { StoredRecord } from '../../records/registry.js';
import type { ReviewList } from './found-review.js';
import { reviewChanges } from './review-access.js';
import type { ReviewScope } from './review-scope.js';

/** One row in a line: who, actions, on what, by which ways, if. */
function lines(...asked: Parameters<typeof page>): string[] {
  return rows(...asked).map(({ subject, actions, actions_except, resources, ways, condition, until }) => {
    const what = resources
      .map(({ type, which, below, names }) =>
        [names?.join('+') ?? `${which} ${type}`, below && `below ${below}`].filter(Boolean).join(' '),
      )
      .join(', ');
    const by = ways.map(({ through, policy, place }) =>
      [...through, policy, place && `on ${place}`].filter(Boolean).join(' > '),
    );
    const except = actions_except ? ` but ${actions_except.join(' ')}` : '';
    return [`${whoOf(subject)}: ${actions.join(' ')}${except}: ${what}: ${by.join(' | ')}`, condition, until]
      .filter(Boolean)
      .join('; ');
  });
}

describe('a review', () => {
  it.each<[string, StoredRecord[], ReviewScope, string[]]>([
    ['finds nobody where nothing is given', [policy('files')], FILES, []],
    ['is about no other application', [slips, given('slips', 'subject', 'user/anne')], APPLICATION, []],
    [
      'names each subject and how it comes to it',
      [
        policy('files'),
        given('files', 'role', 'reader'),
        holds('reader', 'group', 'staff'),
        member('staff', 'user/anne'),
      ],
      FILES,
      [
        'named_role reader: read: all docs/file: role/reader > policy/files',
        '1 of group/staff: read: all docs/file: group/staff > role/reader > policy/files',
      ],
    ],
    [
      'names everyone without a record apart',
      [policy('files'), given('files', 'everyone', 'user')],
      FILES,
      [
        'unrecorded user: read: all docs/file: everyone/user > policy/files',
        '3 of everyone/user: read: all docs/file: everyone/user > policy/files',
      ],
    ],
    [
      'leaves out what a DENY takes away',
      [
        policy('files'),
        given('files', 'group', 'staff'),
        member('staff', 'user/anne'),
        member('staff', 'user/bert'),
        policy('shut', { effect: 'DENY', priority: 1 }),
        given('shut', 'subject', 'user/bert'),
      ],
      FILES,
      ['1 of group/staff: read: all docs/file: group/staff > policy/files'],
    ],
    [
      'keeps what depends on the request as a condition',
      [policy('files', { condition: 'context.mfa' }), given('files', 'subject', 'user/cleo')],
      FILES,
      ['user/cleo: read: all docs/file: policy/files; context.mfa'],
    ],
    [
      'says until when',
      [
        policy('files'),
        given('files', 'role', 'reader'),
        holds('reader', 'subject', 'user/anne', { expires_at: '2027-01-01T00:00:00Z' }),
      ],
      FILES,
      [
        'named_role reader: read: all docs/file: role/reader > policy/files',
        '1 of role/reader: read: all docs/file: role/reader > policy/files; 2027-01-01T00:00:00.000Z',
      ],
    ],
    [
      'of a resource is about that one alone',
      [onFile, given('one', 'subject', 'user/anne'), policy('files'), given('files', 'subject', 'user/bert')],
      PLAN,
      ['user/anne: read write: docs/file/plan: policy/one', 'user/bert: read: docs/file/plan: policy/files'],
    ],
    [
      'of a folder is about all that lies below it, recorded or not, and about no other',
      [
        belowFolder,
        given('hr', 'subject', 'user/anne'),
        onFile,
        given('one', 'subject', 'user/bert'),
        policy('files'),
        given('files', 'role', 'reader'),
        holds('reader', 'subject', 'user/cleo', { resource: 'docs/folder/it' }),
        holds('reader', 'subject', 'user/cleo', { resource: 'docs/folder/hr' }),
      ],
      HR,
      [
        'named_role reader: read: docs/file/plan, unrecorded docs/file below docs/folder/hr: role/reader > policy/files',
        'user/anne: *: docs/file/plan, unrecorded docs/file below docs/folder/hr: policy/hr',
        'user/anne: *: docs/folder/hr: policy/hr',
        'user/bert: read write: docs/file/plan: policy/one',
        'user/cleo: read: docs/file/plan, unrecorded docs/file below docs/folder/hr: role/reader > policy/files > on docs/folder/hr',
      ],
    ],
  ])('%s', (_, records, scope, expected) => {
    expect(lines(records, scope)).toEqual(expected);
  });

  it('makes one row of all who have it by the same group, and one of each who has it alone', () => {
    const records = [
      policy('files'),
      given('files', 'group', 'staff'),
      given('files', 'subject', 'user/cleo'),
      ...['user/anne', 'user/bert', 'user/cleo'].map((one) => member('staff', one)),
    ];
    const group = '3 of group/staff: read: all docs/file: group/staff > policy/files';
    const alone = 'user/cleo: read: all docs/file: policy/files';
    expect(lines(records, FILES)).toEqual([group, alone]);
    const { listed, rows: each } = page(records, FILES, { list: 'subjects' });
    expect(listed).toEqual({ rows: 2, subjects: 4 });
    expect(each.map(({ subject, ways }) => `${whoOf(subject)} ${ways[0]?.through}`)).toEqual([
      'user/anne group/staff',
      'user/bert group/staff',
      'user/cleo group/staff',
      'user/cleo ',
    ]);
  });

  it('keeps apart what members of a group have besides, and whoever is denied or limited', () => {
    const records = [
      policy('files'),
      given('files', 'group', 'staff'),
      ...['user/anne', 'user/bert', 'user/cleo'].map((one) => member('staff', one)),
      policy('more', { actions: ['write'] }),
      given('more', 'subject', 'user/anne'),
      policy('limit', { effect: 'DENY', priority: 1, condition: 'context.away == true' }),
      given('limit', 'subject', 'user/bert'),
    ];
    const said = lines(records, FILES);
    expect(said.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      '2 of group/staff: read',
      '1 of group/staff: read',
      'user/anne: write',
    ]);
    expect(said[1]).toContain('context.away');
  });

  it('tells only of the groups by which a condition can be met', () => {
    const records = [
      policy('files', { condition: 'subject.id == "anne" && context.mfa' }),
      given('files', 'group', 'staff'),
      record('group', { name: 'board' }),
      policy('other', { condition: 'subject.id == "bert" && context.mfa' }),
      given('other', 'group', 'board'),
      ...['staff', 'board'].flatMap((group) => ['user/anne', 'user/bert'].map((one) => member(group, one))),
    ];
    const each = rows(records, FILES, { list: 'subjects' });
    expect(each.map(({ subject, ways }) => `${whoOf(subject)} ${ways.map(({ through }) => through)}`)).toEqual([
      'user/bert group/board',
      'user/anne group/staff',
    ]);
  });

  it('tells of a group by which somebody has it later, and only until it ends by the other', () => {
    const turn = '2027-01-01T00:00:00Z';
    const linked = (group: string, more: Record<string, string>) =>
      record('group_membership', { group, entity_type: 'subject', entity: 'user/anne', ...more });
    const records = [
      record('group', { name: 'board' }),
      policy('files'),
      given('files', 'group', 'staff'),
      given('files', 'group', 'board'),
      linked('staff', { expires_at: turn }),
      linked('board', { starts_at: turn }),
    ];
    const who = rows(records, FILES).map(({ subject }) => whoOf(subject));
    expect(who).toEqual(['1 of group/board', '1 of group/staff']);
  });

  it('says of which types of subjects a role that requests name is worth something, in its digest too', () => {
    const open = [policy('files'), given('files', 'role', 'reader'), policy('shut', { effect: 'DENY', priority: 1 })];
    const denied = [...open, given('shut', 'everyone', 'user')];
    const robots = [
      policy('robots', { effect: 'DENY', priority: 1, condition: 'subject.type != "robot"' }),
      ...[given('robots', 'everyone', '*'), record('subject', { type: 'robot', id: 'r2' })],
    ];
    const told = [open, denied, [...denied, ...robots]].map((records) => lines(records, FILES)[0]?.split(':')[0]);
    expect(told).toEqual(['named_role reader', 'named_role reader but user', 'named_role reader for robot']);
    const [before, after] = [denied, open].map((records) => review(records, FILES).signed([]).rows_digest);
    expect(after).not.toBe(before);
  });

  it('shows a way of each group where members come to the same policy by two', () => {
    const records = [
      record('group', { name: 'board' }),
      policy('files'),
      ...['staff', 'board'].flatMap((group) => [given('files', 'group', group), member(group, 'user/anne')]),
    ];
    expect(lines(records, FILES)).toEqual([
      '1 of group/board: read: all docs/file: group/board > policy/files',
      '1 of group/staff: read: all docs/file: group/staff > policy/files',
    ]);
  });

  describe('with pages', () => {
    const records = [
      policy('files'),
      given('files', 'everyone', 'user'),
      policy('more', { actions: ['write'] }),
      ...['anne', 'bert'].map((id) => given('more', 'subject', `user/${id}`)),
    ];
    const one = (asked: Partial<ReviewList>) => lines(records, FILES, asked).map((line) => line.split(':')[0]);

    it.each<[string, Partial<ReviewList>, string[]]>([
      ['rows', { offset: 1, limit: 2 }, ['3 of everyone/user', 'user/anne']],
      ['rows behind the last one', { offset: 4, limit: 2 }, []],
      ['subjects', { list: 'subjects', offset: 2, limit: 3 }, ['user/bert', 'user/cleo', 'user/anne']],
      ['rows with a word of a member', { words: 'cleo' }, ['3 of everyone/user']],
      ['subjects with the name of a member', { list: 'subjects', words: 'CLEO read' }, ['user/cleo']],
      ['rows by their ways', { words: 'policy/more bert' }, ['user/bert']],
      ['nothing where a word is nowhere', { words: 'cleo write' }, []],
    ])('lists %s', (_, asked, expected) => {
      expect(one(asked)).toEqual(expected);
    });

    it('counts what is listed', () => {
      const { row_count, listed } = page(records, FILES, { words: 'anne', limit: 1 });
      expect({ row_count, listed }).toEqual({ row_count: 4, listed: { rows: 2, subjects: 2 } });
    });

    it('lists the members of a row, and of no other', () => {
      const [, everyone] = rows(records, FILES);
      expect(one({ row: everyone?.id, offset: 1, limit: 5 })).toEqual(['user/bert', 'user/cleo']);
      const found = review(records, FILES);
      expect(found.page({ list: 'rows', row: '0123', offset: 0, limit: 5 })).toBeUndefined();
    });
  });

  describe('that is signed off', () => {
    const records = [
      policy('files'),
      given('files', 'group', 'staff'),
      member('staff', 'user/anne'),
      given('files', 'subject', 'user/cleo'),
    ];
    const signed = (ids: string[]) => review(records, FILES).signed(ids);

    it('keeps what the marked rows and members say', () => {
      const [group, cleo] = rows(records, FILES);
      const [anne] = rows(records, FILES, { list: 'subjects' });
      const said = [group, cleo, anne].map(({ ways: _, ...one } = { ways: [] } as never) => one);
      const ids = [group, cleo, anne].map((one) => one?.id ?? '');
      expect(signed([...ids, '0123', `${ids[0]}-0123`]).marked).toEqual(said);
      expect(anne?.subject).toEqual({ kind: 'recorded', path: 'user/anne', name: 'ANNE' });
    });

    it('has another digest once a row has another member, though as many', () => {
      const others = records.map((one) => (one.kind === 'group_membership' ? member('staff', 'user/bert') : one));
      const { row_count, rows_digest } = review(others, FILES).signed([]);
      expect(row_count).toBe(signed([]).row_count);
      expect(rows_digest).not.toBe(signed([]).rows_digest);
      expect(signed([]).rows_digest).toBe(signed([]).rows_digest);
    });
  });

  it('is about the named actions alone', () => {
    const records = [
      belowFolder,
      given('hr', 'subject', 'user/anne'),
      policy('files'),
      given('files', 'subject', 'user/bert'),
    ];
    expect(lines(records, { ...FILES, actions: ['write'] })).toEqual([
      'user/anne: write: docs/file/plan, unrecorded docs/file below docs/folder/hr: policy/hr',
    ]);
  });

  it('says since when the last link of a way is there', () => {
    const later = '2026-05-05T00:00:00.000Z';
    const records = [policy('files'), given('files', 'group', 'staff'), member('staff', 'user/anne', later)];
    const [row] = rows(records, FILES, { list: 'subjects' });
    expect(row).toMatchObject({ subject: { path: 'user/anne', name: 'ANNE' }, ways: [{ since: later }] });
  });

  it('gives a row the same identity whatever others may', () => {
    const anne = [policy('files'), given('files', 'subject', 'user/anne')];
    const [alone] = rows(anne, FILES);
    const [first, second] = rows([...anne, given('files', 'subject', 'user/bert')], FILES);
    expect(first?.id).toBe(alone?.id);
    const [among] = rows(
      [...anne, onFile, given('one', 'subject', 'user/bert'), belowFolder, given('hr', 'subject', 'user/cleo')],
      FILES,
    );
    expect(among).toEqual(alone);
    expect(second?.id).not.toBe(first?.id);
  });

  it('refuses a scope that is not there', () => {
    expect(() => rows([], { kind: 'resource', path: 'docs/file/nowhere' })).toThrow(
      'There is no record "resource/docs/file/nowhere"',
    );
  });
});

it('tells what has changed in who has access in a scope, and of nothing else', () => {
  const before = [...base, policy('files'), slips];
  const after = [...before, given('files', 'subject', 'user/anne'), given('slips', 'subject', 'user/bert')];
  const changed = (scope: ReviewScope, from = before, to = after) =>
    reviewChanges(from, to, scope, { now: NOW }).findings.map(
      ({ change, subjects }) => `${change} ${subjects.principals.map(({ principal }) => principal).join()}`,
    );
  expect(changed(APPLICATION)).toEqual(['gained subject/user/anne']);
  expect(changed(HR)).toEqual(['gained subject/user/anne']);
  expect(changed({ ...FILES, actions: ['write'] })).toEqual([]);
  expect(changed(PLAN, after, base)).toEqual(['lost subject/user/anne']);
  expect(() => changed({ kind: 'application', path: 'dosc' })).toThrow(
    'There is no record "application/dosc" at either moment: choose another scope.',
  );
});

it('leaves out who is suspended, and tells that it ends', () => {
  const access = [...base, policy('files'), given('files', 'subject', 'user/anne')];
  const suspended = (more: object) =>
    access.map((one) =>
      one.address === 'subject/user/anne' ? ({ ...one, fields: { ...one.fields, ...more } } as StoredRecord) : one,
    );
  const found = (records: StoredRecord[]) =>
    reviewChanges(access, records, FILES, { now: NOW }).findings.map(({ change }) => change);
  expect(found(suspended({ suspended: true }))).toEqual(['lost']);
  expect(found(suspended({ suspended: false }))).toEqual([]);
  const past = suspended({ suspended_until: new Date(NOW - 1000).toISOString() });
  expect(found(past)).toEqual([]);
  const { findings } = reviewChanges(past, past, FILES, { now: NOW, since: NOW - 2000 });
  expect(findings.map(({ change }) => change)).toEqual(['gained']);
});

describe('what one subject may do', () => {
  const ANNE: ReviewScope = { kind: 'subject', path: 'user/anne' };

  it('is a row for what it comes to in one condition, with all ways to it, and nobody else', () => {
    const records = [
      policy('files'),
      given('files', 'role', 'reader'),
      holds('reader', 'group', 'staff'),
      member('staff', 'user/anne'),
      member('staff', 'user/bert'),
      holds('reader', 'subject', 'user/anne', { starts_at: '2027-01-01T00:00:00Z' }),
      given('files', 'subject', 'user/anne'),
      policy('writes', { actions: ['write'], condition: 'context.mfa' }),
      given('writes', 'everyone', '*'),
      onFile,
      given('one', 'subject', 'user/bert'),
      slips,
      given('slips', 'group', 'staff'),
    ];
    expect(lines(records, ANNE)).toEqual([
      'user/anne: read: all docs/file: policy/files | group/staff > role/reader > policy/files',
      'user/anne: write: all docs/file: everyone > policy/writes; context.mfa',
      'user/anne: read: all pay/slip: group/staff > policy/slips',
    ]);
  });

  it('leaves out what a DENY to a group of it takes away', () => {
    const shut = policy('shut', { effect: 'DENY', priority: 1 });
    const records = [policy('files'), given('files', 'everyone', '*'), shut, given('shut', 'group', 'staff')];
    expect(lines(records, ANNE)).toEqual(['user/anne: read: all docs/file: everyone > policy/files']);
    expect(lines([...records, member('staff', 'user/anne')], ANNE)).toEqual([]);
  });

  const changes = (before: StoredRecord[], after: StoredRecord[], since?: string) =>
    reviewChanges([...base, ...before], [...base, ...after], ANNE, {
      now: NOW,
      since: since === undefined ? undefined : Date.parse(since),
    }).findings.map(
      ({ change, subjects, actions }) =>
        `${change} ${actions.join()} ${subjects.principals.map(({ principal }) => principal).join()}`,
    );

  it('changes as the records do, and others do not count', () => {
    const files = [policy('files'), given('files', 'group', 'staff'), member('staff', 'user/bert')];
    expect(changes([...files, member('staff', 'user/anne')], files)).toEqual(['lost read subject/user/anne']);
    expect(changes(files, [policy('files'), given('files', 'group', 'staff')])).toEqual([]);
    expect(changes([], [policy('files'), given('files', 'everyone', '*')])).toEqual(['gained read subject/user/anne']);
  });

  it.each([
    ['has ended in between', { expires_at: '2026-11-20T00:00:00Z' }, ['lost read subject/user/anne']],
    ['had ended before', { expires_at: '2026-10-01T00:00:00Z' }, []],
    ['will end', { expires_at: '2026-12-01T00:00:00Z' }, []],
    ['has begun in between', { starts_at: '2026-11-20T00:00:00Z' }, ['gained read subject/user/anne']],
  ])('changes by a grant that %s', (_, period, expected) => {
    const records = [
      policy('files'),
      given('files', 'role', 'reader'),
      holds('reader', 'subject', 'user/anne', period),
    ];
    expect(changes(records, records, '2026-11-01T00:00:00Z')).toEqual(expected);
  });
});

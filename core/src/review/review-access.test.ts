import { describe, expect, it } from 'vitest';
import type { Kind } from '../records/kinds.js';
import { declare, definitionOf, type StoredRecord } from '../records/registry.js';
import { finished } from '../time-slicing.js';
import { reviewAccess, reviewChanges } from './review-access.js';
import type { ReviewScope } from './review-scope.js';

const NOW = Date.parse('2026-11-23T00:00:00Z');
const MADE = '2026-01-01T00:00:00.000Z';

function record(kind: Kind, raw: Record<string, unknown>, created_at = MADE): StoredRecord {
  const declared = declare(kind, definitionOf(kind).schema.parse(raw) as never);
  const stored = { id: declared.address, managed_by: 'api', created_at, updated_at: created_at, revision: 1 };
  return { ...declared, ...stored } as StoredRecord;
}

const type = (name: string, more = {}) =>
  record('resource_type', { application: 'docs', name, actions: ['read', 'write'], ...more });
const file = (name: string, ...parents: string[]) =>
  record('resource', { type: 'docs/file', name, ...(parents.length > 0 && { parents }) });
const folder = (name: string) => record('resource', { type: 'docs/folder', name });
const subject = (id: string) => record('subject', { type: 'user', id, name: id.toUpperCase() });
const policy = (name: string, fields: Record<string, unknown> = {}) =>
  record('policy', { name, effect: 'ALLOW', resource_type: 'docs/file', actions: ['read'], ...fields });
const given = (name: string, entity_type: string, entity: string) =>
  record('policy_assignment', { policy: name, entity_type, entity });
const holds = (role: string, entity_type: string, entity: string, more = {}) =>
  record('role_assignment', { role, entity_type, entity, ...more });
const member = (group: string, entity: string, created_at = MADE) =>
  record('group_membership', { group, entity_type: 'subject', entity }, created_at);

const base = [
  record('application', { name: 'docs' }),
  record('application', { name: 'pay' }),
  record('resource_type', { application: 'pay', name: 'slip', actions: ['read'] }),
  type('folder'),
  type('file', { parents: [{ type: 'docs/folder', property: 'folder' }] }),
  folder('hr'),
  folder('it'),
  file('plan', 'docs/folder/hr'),
  file('note', 'docs/folder/it'),
  file('loose'),
  ...['anne', 'bert', 'cleo'].map(subject),
  record('group', { name: 'staff' }),
  record('role', { name: 'reader' }),
];

const onFile = policy('one', {
  resource_type: undefined,
  actions: undefined,
  resources: [
    { resource: 'docs/file/plan', actions: ['read', 'write'] },
    { resource: 'docs/file/note', actions: ['read'] },
  ],
});
const belowFolder = policy('hr', {
  resource_type: undefined,
  actions: undefined,
  resources: [{ resource: 'docs/folder/hr', actions: ['*'], below: true }],
});
const slips = policy('slips', { resource_type: 'pay/slip' });

const APPLICATION: ReviewScope = { part: 'application', path: 'docs' };
const FILES: ReviewScope = { part: 'resource_type', path: 'docs/file' };
const HR: ReviewScope = { part: 'resource', path: 'docs/folder/hr' };
const PLAN: ReviewScope = { part: 'resource', path: 'docs/file/plan' };

function rows(records: StoredRecord[], scope: ReviewScope, rowsMax = 100) {
  return finished(reviewAccess([...base, ...records], scope, { now: NOW, rowsMax }));
}

/** One row in a line: who, actions, on what, by which ways, if. */
function lines(records: StoredRecord[], scope: ReviewScope): string[] {
  return rows(records, scope).rows.map(({ subject, actions, actions_except, resources, ways, condition, until }) => {
    const who = subject.kind === 'recorded' ? subject.path : `${subject.kind} ${Object.values(subject)[1]}`;
    const what = resources
      .map(({ type, which, below, names }) =>
        [names?.join('+') ?? `${which} ${type}`, below && `below ${below}`].filter(Boolean).join(' '),
      )
      .join(', ');
    const by = ways.map(({ through, policy, place }) =>
      [...through, policy, place && `on ${place}`].filter(Boolean).join(' > '),
    );
    const except = actions_except ? ` but ${actions_except.join(' ')}` : '';
    return [`${who}: ${actions.join(' ')}${except}: ${what}: ${by.join(' | ')}`, condition, until]
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
        'user/anne: read: all docs/file: group/staff > role/reader > policy/files',
      ],
    ],
    [
      'names everyone without a record apart',
      [policy('files'), given('files', 'everyone', 'user')],
      FILES,
      [
        'unrecorded user: read: all docs/file: everyone/user > policy/files',
        ...['anne', 'bert', 'cleo'].map((id) => `user/${id}: read: all docs/file: everyone/user > policy/files`),
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
      ['user/anne: read: all docs/file: group/staff > policy/files'],
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
        'user/anne: read: all docs/file: role/reader > policy/files; 2027-01-01T00:00:00.000Z',
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
    const [row] = rows([...records, given('files', 'subject', 'user/bert')], FILES).rows;
    expect(row).toMatchObject({ subject: { path: 'user/anne', name: 'ANNE' }, ways: [{ since: later }] });
  });

  it('lists no more rows than were asked for, and counts all', () => {
    const { rows: listed, count } = rows([policy('files'), given('files', 'everyone', 'user')], FILES, 2);
    expect({ listed: listed.length, count }).toEqual({ listed: 2, count: 4 });
  });

  it('gives a row the same identity whatever others may', () => {
    const anne = [policy('files'), given('files', 'subject', 'user/anne')];
    const [alone] = rows(anne, FILES).rows;
    const [first, second] = rows([...anne, given('files', 'subject', 'user/bert')], FILES).rows;
    expect(first?.id).toBe(alone?.id);
    const [among] = rows(
      [...anne, onFile, given('one', 'subject', 'user/bert'), belowFolder, given('hr', 'subject', 'user/cleo')],
      FILES,
    ).rows;
    expect(among).toEqual(alone);
    expect(second?.id).not.toBe(first?.id);
  });

  it('refuses a part that is not there', () => {
    expect(() => rows([], { part: 'resource', path: 'docs/file/nowhere' })).toThrow(
      'There is no record "resource/docs/file/nowhere"',
    );
  });
});

it('tells what has changed in who has access to a part, and of nothing else', () => {
  const before = [...base, policy('files'), slips];
  const after = [...before, given('files', 'subject', 'user/anne'), given('slips', 'subject', 'user/bert')];
  const changed = (scope: ReviewScope, from = before, to = after) =>
    finished(reviewChanges(from, to, scope, { now: NOW })).findings.map(
      ({ change, subjects }) => `${change} ${subjects.principals.map(({ principal }) => principal).join()}`,
    );
  expect(changed(APPLICATION)).toEqual(['gained subject/user/anne']);
  expect(changed(HR)).toEqual(['gained subject/user/anne']);
  expect(changed({ ...FILES, actions: ['write'] })).toEqual([]);
  expect(changed(PLAN, after, base)).toEqual(['lost subject/user/anne']);
});

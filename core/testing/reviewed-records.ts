import type { ReviewList } from '../src/questions/review/found-review.js';
import { reviewAccess } from '../src/questions/review/review-access.js';
import type { ReviewScope } from '../src/questions/review/review-scope.js';
import type { RowSubject } from '../src/questions/review/reviewed-access.js';
import type { Kind } from '../src/records/kinds.js';
import { declare, definitionOf, type StoredRecord } from '../src/records/registry.js';

export const NOW = Date.parse('2026-11-23T00:00:00Z');
const MADE = '2026-01-01T00:00:00.000Z';

export function record(kind: Kind, raw: Record<string, unknown>, created_at = MADE): StoredRecord {
  const declared = declare(kind, definitionOf(kind).schema.parse(raw) as never);
  const stored = { id: declared.address, managed_by: 'api', created_at, updated_at: created_at, revision: 1 };
  return { ...declared, ...stored } as StoredRecord;
}

const type = (name: string, more = {}) =>
  record('resource_type', { application: 'docs', name, actions: ['read', 'write'], ...more });
export const file = (name: string, ...parents: string[]) =>
  record('resource', { type: 'docs/file', name, ...(parents.length > 0 && { parents }) });
const folder = (name: string) => record('resource', { type: 'docs/folder', name });
const subject = (id: string) => record('subject', { type: 'user', id, name: id.toUpperCase() });
export const policy = (name: string, fields: Record<string, unknown> = {}) =>
  record('policy', { name, effect: 'ALLOW', resource_type: 'docs/file', actions: ['read'], ...fields });
export const given = (name: string, entity_type: string, entity: string) =>
  record('policy_assignment', { policy: name, entity_type, entity });
export const holds = (role: string, entity_type: string, entity: string, more = {}) =>
  record('role_assignment', { role, entity_type, entity, ...more });
export const member = (group: string, entity: string, created_at = MADE) =>
  record('group_membership', { group, entity_type: 'subject', entity }, created_at);

export const base = [
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

export const onFile = policy('one', {
  resource_type: undefined,
  actions: undefined,
  resources: [
    { resource: 'docs/file/plan', actions: ['read', 'write'] },
    { resource: 'docs/file/note', actions: ['read'] },
  ],
});
export const belowFolder = policy('hr', {
  resource_type: undefined,
  actions: undefined,
  resources: [{ resource: 'docs/folder/hr', actions: ['*'], below: true }],
});
export const slips = policy('slips', { resource_type: 'pay/slip' });

export const APPLICATION: ReviewScope = { kind: 'application', path: 'docs' };
export const FILES: ReviewScope = { kind: 'resource_type', path: 'docs/file' };
export const HR: ReviewScope = { kind: 'resource', path: 'docs/folder/hr' };
export const PLAN: ReviewScope = { kind: 'resource', path: 'docs/file/plan' };

export const review = (records: StoredRecord[], scope: ReviewScope) =>
  reviewAccess([...base, ...records], scope, { now: NOW });

export function page(records: StoredRecord[], scope: ReviewScope, asked: Partial<ReviewList> = {}) {
  const found = review(records, scope).page({ list: 'rows', offset: 0, limit: 100, ...asked });
  if (found === undefined) throw new Error('no such row');
  return found;
}

export const rows = (...asked: Parameters<typeof page>) => page(...asked).rows;

export function whoOf(subject: RowSubject): string {
  if (subject.kind === 'recorded') return subject.path;
  if (subject.kind === 'members') return `${subject.count} of ${subject.of}`;
  if (subject.kind === 'unrecorded') return `unrecorded ${subject.type}`;
  const { role, types = [], types_except: except = [] } = subject;
  return ['named_role', role, ...types.map((one) => `for ${one}`), ...except.map((one) => `but ${one}`)].join(' ');
}

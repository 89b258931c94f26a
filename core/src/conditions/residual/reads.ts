import { parsedCondition } from './partial-evaluator.js';
import type { PolicyGuard } from './residuals.js';
import { keyOf, type Read, readsIn } from './syntax.js';

/** The reads of a guard: two requests that agree in them leave the same residual of the guard. */
export interface GuardReads {
  /** The members of the recorded properties; undefined if it looks at all of them. */
  readonly subjectProperties: readonly string[] | undefined;
  readonly resourceProperties: readonly string[] | undefined;
  readonly subjectId: boolean;
  readonly subjectType: boolean;
  /** The id or the name of the resource. */
  readonly resourceNames: boolean;
  readonly resourceId: boolean;
  /** Its type, or the application of that. */
  readonly resourceType: boolean;
  readonly actionName: boolean;
  /** The paths of groups, roles and types of ancestors that it asks about. */
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly ancestors: readonly string[];
}

const CONTEXT_MEMBERS: { readonly [M in 'mfa' | 'ip' | 'time']: Read } = {
  mfa: { kind: 'property', root: 'context', name: 'mfa' },
  ip: { kind: 'property', root: 'context', name: 'ip' },
  time: { kind: 'property', root: 'context', name: 'time' },
};

const known = new WeakMap<PolicyGuard, { reads: readonly Read[]; sorted?: GuardReads }>();

/** All that a guard reads, each once; found once for a guard. */
export function readsOfGuard(guard: PolicyGuard): readonly Read[] {
  return foundIn(guard).reads;
}

export function readsOf(guard: PolicyGuard): GuardReads {
  const found = foundIn(guard);
  found.sorted ??= sortedReads(found.reads);
  return found.sorted;
}

function foundIn(guard: PolicyGuard): { reads: readonly Read[]; sorted?: GuardReads } {
  let found = known.get(guard);
  if (found === undefined) {
    found = { reads: collected(guard) };
    known.set(guard, found);
  }
  return found;
}

function collected({ condition, modifiers, unless }: PolicyGuard): readonly Read[] {
  const reads: Read[] = [];
  for (const part of [modifiers, unless]) {
    if (part?.mfa_required === true) reads.push(CONTEXT_MEMBERS.mfa);
    if (part?.ip_ranges !== undefined) reads.push(CONTEXT_MEMBERS.ip);
    if (part?.time_windows !== undefined) reads.push(CONTEXT_MEMBERS.time, { kind: 'now' });
  }
  const ast = condition === undefined ? undefined : parsedCondition(condition);
  if (ast !== undefined) reads.push(...readsIn(ast));
  return [...new Map(reads.map((read) => [keyOf(read), read])).values()];
}

function sortedReads(reads: readonly Read[]): GuardReads {
  const fields = new Set(reads.flatMap((read) => (read.kind === 'field' ? [read.field] : [])));
  const paths = (kind: 'group' | 'role' | 'ancestors') =>
    reads.flatMap((read) => (read.kind === kind ? [read.path] : []));
  return {
    subjectProperties: membersOf(reads, 'subject'),
    resourceProperties: membersOf(reads, 'resource'),
    subjectId: fields.has('subject.id'),
    subjectType: fields.has('subject.type'),
    resourceNames: fields.has('resource.id') || fields.has('resource.name'),
    resourceId: fields.has('resource.id'),
    resourceType: fields.has('resource.type') || fields.has('resource.application'),
    actionName: fields.has('action.name'),
    groups: paths('group'),
    roles: paths('role'),
    ancestors: paths('ancestors'),
  };
}

function membersOf(reads: readonly Read[], root: 'subject' | 'resource'): readonly string[] | undefined {
  const names: string[] = [];
  for (const read of reads) {
    if (read.kind !== 'property' || read.root !== root) continue;
    if (read.name === undefined) return undefined;
    names.push(read.name);
  }
  return names;
}

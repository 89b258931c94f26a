import { type GuardReads, readsOf } from '../impact/remainder/reads.js';
import type { PolicyGuard } from '../impact/remainder/remainders.js';
import { canonicalJson, type JsonObject } from '../json.js';

/** Properties of a subject or of a resource that a change-set changes. */
export interface ChangedProperties {
  readonly of: 'subject' | 'resource';
  readonly names: ReadonlySet<string>;
}

export function changedProperties(
  of: ChangedProperties['of'],
  before: JsonObject = {},
  after: JsonObject = {},
): ChangedProperties {
  const all = [...Object.keys(before), ...Object.keys(after)];
  const same = (name: string) =>
    Object.hasOwn(before, name) &&
    Object.hasOwn(after, name) &&
    canonicalJson(before[name] ?? null) === canonicalJson(after[name] ?? null);
  return { of, names: new Set(all.filter((name) => !same(name))) };
}

/** By guard. Guards are not changed. */
const known = new WeakMap<PolicyGuard, GuardReads>();

function readsOfCondition(guard: PolicyGuard): GuardReads {
  const reads = known.get(guard) ?? readsOf(guard);
  known.set(guard, reads);
  return reads;
}

/** Whether what a guard says may hang on these properties, of the resource itself or of one that it lies below. */
export function readsChange(guard: PolicyGuard, { of, names }: ChangedProperties): boolean {
  if (guard.condition === undefined) return false;
  const { subjectProperties, resourceProperties, ancestors } = readsOfCondition(guard);
  if (of === 'resource' && ancestors.length > 0) return true;
  const members = of === 'subject' ? subjectProperties : resourceProperties;
  return members === undefined || members.some((name) => names.has(name));
}

/** The properties of subjects that these guards read; undefined if they may read all of them. */
export function subjectPropertiesRead(guards: readonly PolicyGuard[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const guard of guards) {
    const members = guard.condition === undefined ? [] : readsOfCondition(guard).subjectProperties;
    if (members === undefined) return undefined;
    for (const name of members) names.add(name);
  }
  return names;
}

/** Whether a guard reads the id of the subject, or all of the subject. */
export function readsSubjectId(guard: PolicyGuard): boolean {
  return guard.condition !== undefined && readsOfCondition(guard).subjectId;
}

/** Whether a guard reads the type of the resource or of what it lies below, or the application of that. */
export function readsResourceType(guard: PolicyGuard): boolean {
  if (guard.condition === undefined) return false;
  const { resourceType, ancestors } = readsOfCondition(guard);
  return resourceType || ancestors.length > 0;
}

/** Whether a guard reads the name, the id or the place of a resource, or all of it. */
export function tellsResourcesApart(guard: PolicyGuard): boolean {
  if (guard.condition === undefined) return false;
  const { resourceNames, ancestors } = readsOfCondition(guard);
  return resourceNames || ancestors.length > 0;
}

/** Whether one of these guards reads what a resource lies below. */
export function asksForAncestors(guards: readonly PolicyGuard[]): boolean {
  return guards.some((guard) => guard.condition !== undefined && readsOfCondition(guard).ancestors.length > 0);
}

import { type GuardReads, readsOf } from '../../conditions/residual/reads.js';
import type { PolicyGuard } from '../../conditions/residual/residuals.js';
import { canonicalJson, type JsonObject } from '../../json/json.js';

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

/** Which of these properties of a resource guards read. */
export function resourcePropertiesRead(guards: Iterable<PolicyGuard>, properties: ReadonlySet<string>): Set<string> {
  const read = new Set<string>();
  for (const guard of guards) {
    const members = guard.condition === undefined ? [] : readsOfCondition(guard).resourceProperties;
    for (const name of members ?? properties) if (properties.has(name)) read.add(name);
  }
  return read;
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

/** Whether a guard reads the name, the id or the place of a resource, or all of it; `parents` are properties that say places. */
export function tellsResourcesApart(guard: PolicyGuard, parents: ReadonlySet<string>): boolean {
  return guard.condition !== undefined && (readsOfCondition(guard).resourceNames || asksForPlaces(guard, parents));
}

/** Whether a guard reads what a resource lies below, or one of the properties by which requests say it. */
export function asksForPlaces(guard: PolicyGuard, parents: ReadonlySet<string>): boolean {
  if (guard.condition === undefined) return false;
  return readsOfCondition(guard).ancestors.length > 0 || resourcePropertiesRead([guard], parents).size > 0;
}

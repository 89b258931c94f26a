import { address, type Path, typeOfResource } from '../../records/address.js';
import type { Finding, FindingResources } from '../impact/api/finding.js';
import { NAMES_SHOWN } from './resource-sets.js';
import type { ReviewScope, ScopedRecords } from './review-scope.js';

/** The finding as far as it is about the scope; `recorded` are the paths of all its resources. Undefined if it is not. */
export function findingInScope(
  finding: Finding,
  recorded: readonly Path[],
  scope: ReviewScope,
  scoped: ScopedRecords,
): Finding | undefined {
  const actions = actionsInScope(finding, scope.actions);
  const resources = resourcesInScope(finding, recorded, scope, scoped);
  if (actions === undefined || resources.length === 0) return undefined;
  const { actions_except: _, ...rest } = finding;
  if (scope.kind !== 'subject') return { ...rest, ...actions, resources };
  const { recorded: about, named_role } = finding.subjects;
  if (about === 0 || named_role !== undefined) return undefined;
  const principal = { principal: address('subject', scope.path), subjects: 1, of: 1, directly: 1 };
  return { ...rest, ...actions, resources, subjects: { principals: [principal], recorded: 1, unrecorded: [] } };
}

/** Its resources that belong to the scope. */
export function resourcesInScope(
  { resources }: Finding,
  recorded: readonly Path[],
  scope: ReviewScope,
  scoped: ScopedRecords,
): FindingResources[] {
  return resources.flatMap((one) => resourcesIn(one, recorded, scope, scoped));
}

/** Those of its actions that are wanted; undefined if none is. */
export function actionsInScope(
  { actions, actions_except }: Pick<Finding, 'actions' | 'actions_except'>,
  wanted: readonly string[] | undefined,
): Pick<Finding, 'actions' | 'actions_except'> | undefined {
  if (wanted === undefined) return { actions, ...(actions_except && { actions_except }) };
  const any = actions.includes('*');
  const found = wanted.filter((action) => (any ? actions_except?.includes(action) !== true : actions.includes(action)));
  return found.length === 0 ? undefined : { actions: [...found].sort() };
}

function resourcesIn(
  one: FindingResources,
  recorded: readonly Path[],
  { path }: ReviewScope,
  { types, resources, above, nests }: ScopedRecords,
): FindingResources[] {
  const { type, which, below, not_below = [] } = one;
  if (!types.has(type)) return [];
  if (resources === undefined) return [one];
  const found: FindingResources[] = [];
  const within = recorded.filter((resource) => typeOfResource(resource) === type && resources.has(resource));
  if (which === 'named' || which === 'recorded' || which === 'all') {
    if (within.length > 0)
      found.push({ type, which: 'named', names: within.slice(0, NAMES_SHOWN), recorded: within.length });
  }
  if (which === 'named' || which === 'recorded') return found;
  if (below !== undefined) return resources.has(below) ? [...found, one] : found;
  const elsewhere = which === 'nowhere' || which === 'unsaid' || not_below.some((place) => above.has(place));
  // What has the type of the resource lies below it only where the type is its own parent.
  if (!elsewhere && (typeOfResource(path) !== type || nests))
    found.push({ type, which: 'unrecorded', below: path, recorded: 0 });
  return found;
}

import { Absent } from '../../conditions/values/outcome.js';
import type { Json, JsonObject } from '../../json/json.js';
import { jsonPointer } from '../../json/json-pointer.js';
import { ProblemError, type ProblemItem } from '../../problem.js';
import { ANCESTORS_MAX, LEVELS_MAX } from '../../records/hierarchy.js';
import type { Below, Resource, ResourceType } from '../grants/target.js';
import { propertyPath } from './counted-properties.js';
import { hierarchyNodeOf } from './hierarchy-node.js';

/** The places of a request's resource (docs/semantics.md 8.1 to 8.3). */
export interface Whereabouts {
  /** The resource itself, if a record names it, and all its ancestors. */
  readonly places: readonly Resource[];
  /** The targets of policies that cover one of these with all that lies below. */
  readonly belows: readonly Below[];
  /** Types of which it may have more ancestors, each with the attribute that would say so; null if all are known. */
  readonly unknown: ReadonlyMap<ResourceType, Absent> | null;
}

const NO_BELOWS: readonly Below[] = [];

/** The whereabouts of a resource of this type; null where they make no difference. Throws `invalid_request`. */
export function whereaboutsOf(
  type: ResourceType,
  resource: Resource | undefined,
  properties: JsonObject | undefined,
): Whereabouts | null {
  if (resource === undefined) return type.parents.length === 0 ? null : namedWhereabouts(type, properties);
  return type.places === 0 || resource.place === null ? null : recordedWhereabouts(resource);
}

/** The whereabouts of a resource that a record names. */
function recordedWhereabouts(resource: Resource): Whereabouts {
  const places = withAncestors([resource]);
  return { places, belows: belowsOf(places), unknown: null };
}

/** The whereabouts of a resource that no record names, as the request says them. Throws `invalid_request`. */
function namedWhereabouts(type: ResourceType, properties: JsonObject | undefined): Whereabouts {
  const parents = new Set<Resource>();
  const faults: ProblemItem[] = [];
  let unknown: Map<ResourceType, Absent> | null = null;
  for (const parent of type.parents) {
    const { property } = parent;
    const value = properties !== undefined && Object.hasOwn(properties, property) ? properties[property] : undefined;
    if (value === undefined) {
      unknown ??= new Map();
      addUnknown(unknown, parent.type, new Absent(`resource.${propertyPath(property)}`));
      continue;
    }
    if (value === null) continue;
    const found = typeof value === 'string' ? parent.type.resources.get(value) : undefined;
    if (found !== undefined) parents.add(found);
    else
      faults.push({ pointer: jsonPointer('resource', 'properties', property), detail: noParent(value, parent.type) });
  }
  const excess = faults.length > 0 ? undefined : excessOf(parents);
  if (excess !== undefined) faults.push({ pointer: '/resource/properties', detail: excess });
  if (faults.length > 0) throw misplaced(type, faults);
  const places = withAncestors([...parents]);
  return { places, belows: belowsOf(places), unknown };
}

/** Types are asked in the order of their properties, so that the first attribute for a type is the smallest. */
function addUnknown(unknown: Map<ResourceType, Absent>, type: ResourceType, absent: Absent): void {
  const open = [type];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (unknown.has(one)) continue;
    unknown.set(one, absent);
    for (const parent of one.parents) open.push(parent.type);
  }
}

function noParent(value: Json, type: ResourceType): string {
  const shown = JSON.stringify(value).slice(0, 256);
  return typeof value === 'string'
    ? `is ${shown}, but no record of the type "${type.path}" has that name: give the name of a recorded resource, or null if there is none`
    : `is ${shown}: give the name of one resource of the type "${type.path}", or null if there is none`;
}

/** Says how a resource in these parents would be too deep, or have too many ancestors. */
export function excessOf(parents: ReadonlySet<Resource>): string | undefined {
  const ancestors = withAncestors([...parents]);
  if (ancestors.length > ANCESTORS_MAX)
    return `give ${ancestors.length} ancestors: at most ${ANCESTORS_MAX} are allowed`;
  if (ancestors.length < LEVELS_MAX) return undefined;
  const known = new Map<Resource, number>();
  const levels = Math.max(...[...parents].map((parent) => levelsOf(parent, known)));
  return levels < LEVELS_MAX
    ? undefined
    : `place it on level ${levels + 1} of a hierarchy: at most ${LEVELS_MAX} are allowed`;
}

function levelsOf(resource: Resource, known: Map<Resource, number>): number {
  let levels = known.get(resource);
  if (levels === undefined) {
    const above = (hierarchyNodeOf(resource)?.parents ?? []).map((parent) => levelsOf(parent, known));
    levels = 1 + Math.max(0, ...above);
    known.set(resource, levels);
  }
  return levels;
}

function misplaced(type: ResourceType, faults: readonly ProblemItem[]): ProblemError {
  const [first] = faults;
  const name = first?.pointer.replace('/resource/', '').replaceAll('/', '.');
  const detail = `The request does not say where the resource of the type "${type.path}" lies: ${name} ${first?.detail}.`;
  return new ProblemError('invalid_request', detail, [...faults]);
}

/** The most places that are scanned faster than they are looked up. */
const SCAN_MAX = 16;

/** These resources and all that they lie in, each once. */
export function withAncestors(resources: readonly Resource[]): readonly Resource[] {
  const found = [...resources];
  let seen: Set<Resource> | undefined;
  for (let at = 0; at < found.length; at++) {
    const parents = hierarchyNodeOf(found[at] as Resource)?.parents;
    if (parents === undefined) continue;
    for (const parent of parents) {
      if (found.length > SCAN_MAX) {
        seen ??= new Set(found);
        if (seen.has(parent)) continue;
        seen.add(parent);
      } else if (found.includes(parent)) continue;
      found.push(parent);
    }
  }
  return found;
}

function belowsOf(places: readonly Resource[]): readonly Below[] {
  let belows: Below[] | undefined;
  for (const resource of places) {
    const below = hierarchyNodeOf(resource)?.below;
    if (below == null) continue;
    belows ??= [];
    belows.push(below);
  }
  return belows ?? NO_BELOWS;
}

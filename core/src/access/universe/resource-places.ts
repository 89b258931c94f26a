import type { JsonObject } from '../../json/json.js';
import { ProblemError } from '../../problem.js';
import { type Path, path, typeOfResource } from '../../records/address.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import type { Resource, ResourceType } from '../grants/target.js';
import { type Whereabouts, whereaboutsOf, withAncestors } from '../graph/whereabouts.js';

/** Below recorded resources, its parents. */
export interface BelowPlace {
  readonly below: readonly Path[];
  /** The highest of what these lie in that give or deny anything, by which the place is named; without it, the parents. */
  readonly named?: readonly Path[];
  /** A property that requests do not send, so that nobody says where else it lies. */
  readonly unsaid?: string;
  /** It may lie below more resources, which give and deny nothing but are seen by conditions that ask for ancestors. */
  readonly among?: true;
}

/**
 * A resource of the universe: one that is recorded in either state, or any without a record, by where it lies: nowhere,
 * below recorded ones, or where nobody says. One that has a name and such a place is recorded in one state, and lies there
 * in the other by what a request says.
 */
export interface ResourceUnit {
  readonly type: Path;
  readonly name: string | undefined;
  readonly place: 'record' | 'nowhere' | 'unsaid' | BelowPlace;
  /** The same for equal units. */
  readonly key: string;
}

export function recordedUnit(type: Path, name: string): ResourceUnit {
  return { type, name, place: 'record', key: `${type}/${path(name)}` };
}

export function unrecordedUnit(type: Path, place: Exclude<ResourceUnit['place'], 'record'>): ResourceUnit {
  return { type, name: undefined, place, key: `${type}//${placeText(place)}` };
}

/** A resource that is recorded in one state, requested as lying in this place. */
export function placedUnit(
  type: Path,
  name: string,
  place: Exclude<ResourceUnit['place'], 'record' | 'unsaid'>,
): ResourceUnit {
  return { type, name, place, key: `${type}/${path(name)}//${placeText(place)}` };
}

function placeText(place: ResourceUnit['place']): string {
  if (typeof place === 'string') return place;
  const { below, unsaid, among } = place;
  return `${below.join('//')}${unsaid === undefined ? '' : `?${unsaid}`}${among ? '+' : ''}`;
}

/** The path of the record that a unit has in a state. */
export function recordPath({ type, name }: ResourceUnit): Path | undefined {
  return name === undefined ? undefined : `${type}/${path(name)}`;
}

/** A unit as it is in one state. */
export interface LocatedUnit {
  readonly unit: ResourceUnit;
  readonly type: ResourceType;
  readonly resource: Resource | undefined;
  readonly where: Whereabouts | null;
}

/** Locates a unit in a state; undefined if no request about it is answered there. */
export function locate(engine: CompiledEngine, unit: ResourceUnit): LocatedUnit | undefined {
  const type = engine.types.get(unit.type);
  if (type === undefined) return undefined;
  const found = unit.name === undefined ? undefined : type.resources.get(unit.name);
  const resource = found?.id === undefined ? undefined : found;
  const properties = resource === undefined ? propertiesOf(engine, type, unit) : undefined;
  if (properties === null) return undefined;
  try {
    return { unit, type, resource, where: whereaboutsOf(type, resource, properties) };
  } catch (error) {
    // Too many levels or ancestors: such a request is refused.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** The properties by which a request says where a resource without a record lies; null if it cannot lie there. */
export function propertiesOf(
  engine: CompiledEngine,
  type: ResourceType,
  { place }: ResourceUnit,
): JsonObject | undefined | null {
  if (place === 'record' || place === 'unsaid' || type.parents.length === 0)
    return typeof place === 'object' ? null : undefined;
  if (!type.takesParents) return undefined;
  const nowhere: JsonObject = Object.fromEntries(type.parents.map(({ property }) => [property, null]));
  if (place === 'nowhere') return nowhere;
  for (const below of place.below) {
    const parentType = typeOfResource(below);
    const name = decodeURIComponent(below.slice(parentType.length + 1));
    const parent = type.parents.find(
      ({ type: { path }, property }) => path === parentType && property !== place.unsaid && nowhere[property] === null,
    );
    if (parent === undefined || engine.types.get(parentType)?.resources.get(name)?.id === undefined) return null;
    nowhere[parent.property] = name;
  }
  if (place.unsaid !== undefined) delete nowhere[place.unsaid];
  return nowhere;
}

/** Returns those of some resources that lie below no other one of them in the engine's present state, sorted. */
export function highestOf(engine: CompiledEngine, resources: readonly Path[]): readonly Path[] {
  const all = new Set(resources);
  const isBelow = (path: Path) => {
    const type = typeOfResource(path);
    const resource = engine.types.get(type)?.resources.get(decodeURIComponent(path.slice(type.length + 1)));
    const above = resource === undefined ? [] : withAncestors([resource]).slice(1);
    return above.some((place) => all.has(recordedUnit(place.type.path, place.name).key));
  };
  return resources.length < 2 ? resources : resources.filter((one) => !isBelow(one)).sort();
}

import type { CompiledEngine } from '../../decision/compiled-engine.js';
import type { Resource, ResourceType } from '../../decision/grants/target.js';
import { type Whereabouts, whereaboutsOf } from '../../decision/graph/whereabouts.js';
import type { JsonObject } from '../../json.js';
import { type Path, path } from '../../records/address.js';

/**
 * A resource of the universe: one that is recorded in either state, or any without a record, by where it lies: nowhere,
 * below a recorded one, or where nobody says. One that has a name and such a place is recorded in one state, and lies there
 * in the other by what a request says.
 */
export interface ResourceUnit {
  readonly type: Path;
  readonly name: string | undefined;
  readonly place: 'record' | 'nowhere' | 'unsaid' | { readonly below: Path };
  /** The same for equal units. */
  readonly key: string;
}

export function recordedUnit(type: Path, name: string): ResourceUnit {
  return { type, name, place: 'record', key: `${type}/${path(name)}` };
}

export function unrecordedUnit(type: Path, place: Exclude<ResourceUnit['place'], 'record'>): ResourceUnit {
  const where = typeof place === 'string' ? place : place.below;
  return { type, name: undefined, place, key: `${type}//${where}` };
}

/** A resource that is recorded in one state, requested as lying in this place. */
export function placedUnit(
  type: Path,
  name: string,
  place: Exclude<ResourceUnit['place'], 'record' | 'unsaid'>,
): ResourceUnit {
  return { type, name, place, key: `${type}/${path(name)}//${typeof place === 'string' ? place : place.below}` };
}

/** The path of the record that a unit has in a state. */
export function recordPath({ type, name }: ResourceUnit): Path | undefined {
  return name === undefined ? undefined : `${type}/${path(name)}`;
}

/** A unit as it is in one state. */
export interface Located {
  readonly unit: ResourceUnit;
  readonly type: ResourceType;
  readonly resource: Resource | undefined;
  readonly where: Whereabouts | null;
}

/** Where a unit lies in a state; undefined where no request about it is answered there. */
export function locate(engine: CompiledEngine, unit: ResourceUnit): Located | undefined {
  const type = engine.types.get(unit.type);
  if (type === undefined) return undefined;
  const found = unit.name === undefined ? undefined : type.resources.get(unit.name);
  const resource = found?.id === undefined ? undefined : found;
  const properties = resource === undefined ? propertiesOf(engine, type, unit) : undefined;
  if (properties === null) return undefined;
  return { unit, type, resource, where: whereaboutsOf(type, resource, properties) };
}

/** The properties by which a request says where a resource without a record lies; null if it cannot lie there. */
export function propertiesOf(
  engine: CompiledEngine,
  type: ResourceType,
  { place }: ResourceUnit,
): JsonObject | undefined | null {
  if (place === 'record' || place === 'unsaid' || type.parents.length === 0)
    return typeof place === 'object' ? null : undefined;
  const nowhere: JsonObject = Object.fromEntries(type.parents.map(({ property }) => [property, null]));
  if (place === 'nowhere') return nowhere;
  const slash = place.below.lastIndexOf('/');
  const [parentType, name] = [place.below.slice(0, slash), decodeURIComponent(place.below.slice(slash + 1))];
  const parent = type.parents.find((one) => one.type.path === parentType);
  const record = engine.types.get(parentType)?.resources.get(name);
  if (parent === undefined || record?.id === undefined) return null;
  return { ...nowhere, [parent.property]: name };
}

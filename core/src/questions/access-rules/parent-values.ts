import type { JsonObject } from '../../json/json.js';
import { decodeSegment, type Path, typeOfResource } from '../../records/address.js';
import { type JudgedResource, liesAmongOthers } from './resource-places.js';

/** A property by which requests say what a resource of a type lies in, and the type of what it lies in. */
export interface ParentProperty {
  readonly type: Path;
  readonly property: string;
}

/** The values that a request sends in the properties that name parents, and the properties that it leaves out. */
export interface ParentValues {
  readonly values: JsonObject;
  readonly leftOut: ReadonlySet<string>;
}

/** Says nothing of them, so that they are like any other property. */
export const NO_VALUES: ParentValues = { values: {}, leftOut: new Set() };

/** The most ways to say where one resource lies that are looked at. */
const WAYS_MAX = 200;

/**
 * The ways by which requests can say that a resource without a record lies where the unit does (docs/semantics.md 8.2, 8.3),
 * as far as the properties `read` tell them apart: each parent in one property or more, and none in the others. Undefined
 * where these are too many, or the unit stands for several places.
 */
export function waysToSay(
  declared: readonly ParentProperty[],
  { place }: JudgedResource,
  read: ReadonlySet<string>,
): readonly ParentValues[] | undefined {
  if (place === 'record' || !declared.some(({ property }) => read.has(property))) return [NO_VALUES];
  if (liesAmongOthers({ place })) return undefined;
  const properties = declared.map(({ property }) => property);
  const unsaid = place === 'unsaid' ? properties : typeof place === 'object' ? (place.unsaid ?? []) : [];
  const leftOut = new Set(unsaid.filter((property) => read.has(property)));
  const said = declared.filter(({ property }) => !unsaid.includes(property));
  const found = new Map<string, ParentValues>();
  let ways = 0;
  for (const values of waysToName(typeof place === 'object' ? place.below : [], said)) {
    if (++ways > WAYS_MAX) return undefined;
    const told = [...read].map((property) => values[property]);
    found.set(JSON.stringify(told), { values, leftOut });
  }
  return [...found.values()];
}

/** Whether a request can name all these parents in these properties, one in each. */
export function canBeNamed(below: readonly Path[], properties: readonly ParentProperty[]): boolean {
  return waysToName(below, properties).next().done !== true;
}

/** Returns what a request says that is asked of one state as `formerly`, and of another as `said`. */
export function valuesBefore(said: ParentValues, formerly: ParentValues): ParentValues {
  const leftOut = [...said.leftOut].filter((property) => !Object.hasOwn(formerly.values, property));
  return { values: { ...said.values, ...formerly.values }, leftOut: new Set([...leftOut, ...formerly.leftOut]) };
}

/** The values of the properties that together name each of these parents, one or none in each. */
export function* waysToName(
  below: readonly Path[],
  properties: readonly ParentProperty[],
  named: readonly Path[] = [],
): Generator<JsonObject> {
  const [first, ...rest] = properties;
  const left = below.filter((path) => !named.includes(path));
  if (left.some((path) => !properties.some(({ type }) => type === typeOfResource(path)))) return;
  if (first === undefined) {
    yield {};
    return;
  }
  const able = (path: Path) => typeOfResource(path) === first.type;
  for (const path of [...left.filter(able), null, ...named.filter(able)])
    for (const values of waysToName(below, rest, path === null ? named : [...new Set([...named, path])]))
      yield { [first.property]: path && decodeSegment(path.slice(first.type.length + 1)), ...values };
}

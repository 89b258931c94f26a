import type { Json, JsonObject } from '../../json/json.js';
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
/** The most parents in one property of which all orders are looked at. */
const ORDERED_MAX = 3;

/**
 * All ways by which requests can say in the properties `read` that a resource without a record lies where the unit does
 * (docs/semantics.md 8.2, 8.3): a name alone or in a list, there once or twice, and several in every order. Undefined where
 * these are too many, or the unit stands for several places.
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
  const below = typeof place === 'object' ? place.below : [];
  const found = new Map<string, ParentValues>();
  for (const names of waysToSpread(below, said)) {
    let ways: JsonObject[] = [{}];
    for (const { property } of said) {
      if (!read.has(property)) continue;
      const values = waysToList(names.get(property) ?? []);
      if (values === undefined || ways.length * values.length > WAYS_MAX) return undefined;
      ways = ways.flatMap((way) => values.map((value) => ({ ...way, [property]: value })));
    }
    for (const values of ways) found.set(JSON.stringify(values), { values, leftOut });
    if (found.size > WAYS_MAX) return undefined;
  }
  return [...found.values()];
}

/** Returns what a request says that is asked of one state as `formerly`, and of another as `said`. */
export function valuesBefore(said: ParentValues, formerly: ParentValues): ParentValues {
  const leftOut = [...said.leftOut].filter((property) => !Object.hasOwn(formerly.values, property));
  return { values: { ...said.values, ...formerly.values }, leftOut: new Set([...leftOut, ...formerly.leftOut]) };
}

/** The names of parents by the properties that say them: each parent in one or several that may name it. */
function* waysToSpread(
  below: readonly Path[],
  declared: readonly ParentProperty[],
): Generator<ReadonlyMap<string, readonly string[]>> {
  const [path, ...others] = below;
  if (path === undefined) {
    yield new Map();
    return;
  }
  const type = typeOfResource(path);
  const name = decodeSegment(path.slice(type.length + 1));
  const able = declared.filter((parent) => parent.type === type).map(({ property }) => property);
  for (const rest of waysToSpread(others, declared))
    for (let chosen = 1; chosen < 2 ** able.length; chosen++) {
      const names = new Map(rest);
      for (const [at, property] of able.entries())
        if (chosen & (1 << at)) names.set(property, [name, ...(rest.get(property) ?? [])]);
      yield names;
    }
}

function waysToList(names: readonly string[]): Json[] | undefined {
  const [name] = names;
  if (name === undefined) return [null, []];
  if (names.length === 1) return [name, [name], [name, name]];
  return names.length > ORDERED_MAX ? undefined : [...ordersOf(names)];
}

function* ordersOf(names: readonly string[]): Generator<string[]> {
  if (names.length === 0) yield [];
  for (const [at, name] of names.entries()) for (const rest of ordersOf(names.toSpliced(at, 1))) yield [name, ...rest];
}

import { ancestorValue } from '../../conditions/evaluate/ancestors.js';
import { Absent } from '../../conditions/values/outcome.js';
import type { Ancestry } from '../../conditions/values/scope.js';
import type { ValueMap } from '../../conditions/values/value.js';
import { decodeSegment, type Path, typeOfResource } from '../../records/address.js';
import { knownIdOf } from '../../records/known-id.js';
import type { Fields } from '../../records/registry.js';
import { type AccessView, recordAt } from './access-view.js';
import { canBeNamed } from './parent-values.js';

/**
 * A resource that rules are judged on: a recorded one, or any without a record of a type, by where it lies: nowhere, below
 * recorded ones, or where nobody says. One that has a path and such a place is recorded in the other state alone, and lies
 * here where a request says.
 */
export interface JudgedResource {
  readonly type: Path;
  /** The path of a unit that either state records. */
  readonly path: Path | undefined;
  readonly place: 'record' | 'nowhere' | 'unsaid' | SentParents;
  /** The same for equal units. */
  readonly key: string;
}

/** The parents that a request gives a resource, and the properties that it does not send. */
export interface SentParents {
  readonly below: readonly Path[];
  readonly unsaid?: readonly string[];
  /** Stands for every request that says these and any others. */
  readonly others?: true;
}

export function liesAmongOthers({ place }: Pick<JudgedResource, 'place'>): boolean {
  return typeof place === 'object' && place.others === true;
}

/** The place of a unit in one state. */
export interface LocatedResource {
  /** The resource itself, if it is recorded, and all that it lies below. */
  readonly places: ReadonlySet<Path>;
  /** Types of which it may have more ancestors, for all that is said. */
  readonly unknown: ReadonlySet<Path>;
  readonly ancestry: Ancestry;
}

export function recordedUnit(path: Path): JudgedResource {
  return { type: typeOfResource(path), path, place: 'record', key: path };
}

export function unrecordedUnit(
  type: Path,
  place: Exclude<JudgedResource['place'], 'record'>,
  path?: Path,
): JudgedResource {
  const where =
    typeof place === 'string'
      ? place
      : [...place.below, ...(place.unsaid ?? []).map((name) => `?${name}`), place.others ? '+' : ''].join('//');
  return { type, path, place, key: `${path ?? type}//${where}` };
}

/**
 * A unit as requests can ask for it in a state. What only the `other` state records lies in a parent of its record, in each by
 * itself. Where a parent is not recorded here, what that lies in counts instead; where none can be named, it lies nowhere.
 */
export function formsOf(view: AccessView, other: AccessView, unit: JudgedResource): JudgedResource[] {
  const { type, path, place } = unit;
  const recorded = path !== undefined && recordAt(view, 'resource', path) !== undefined;
  if (!recorded && !takesParents(view, type)) return [unrecordedUnit(type, 'unsaid', path)];
  if (typeof place === 'string' && (path === undefined || recorded)) return [unit];
  const parents =
    typeof place === 'object' ? place.below : (recordAt(other, 'resource', path ?? '')?.fields.parents ?? []);
  const instead = parents.map((parent) => recordedInstead(view, other, parent));
  if (liesAmongOthers(unit)) return [unrecordedUnit(type, { below: [...new Set(instead.flat())], others: true })];
  const declared = recordAt(view, 'resource_type', type)?.fields.parents ?? [];
  if (typeof place === 'object' && path === undefined) {
    const { unsaid = [] } = place;
    const said = declared.filter(({ property }) => !unsaid.includes(property));
    const together = combined(instead).filter((below) => canBeNamed(below, said));
    const located = together.map((below) => (below.length + unsaid.length === 0 ? 'nowhere' : { ...place, below }));
    if (located.length > 0) return located.map((where) => unrecordedUnit(type, where));
  }
  const alone = [...new Set(instead.flat())].filter((one) => canBeNamed([one], declared));
  if (alone.length === 0) return [unrecordedUnit(type, 'nowhere', path)];
  return alone.map((below) => unrecordedUnit(type, { below: [below] }, path));
}

/** Whether requests may say what resources of a type lie in, or there is nothing to say. */
function takesParents(view: AccessView, type: Path): boolean {
  const { from_requests: sent, parents = [] } = recordAt(view, 'resource_type', type)?.fields ?? {};
  return sent === undefined || parents.every(({ property }) => sent.includes(property));
}

/** The resource, or the lowest above it that are recorded. */
function recordedInstead(view: AccessView, other: AccessView, path: Path): Path[] {
  const all = new Set([path]);
  const isRecorded = (one: Path) => recordAt(view, 'resource', one) !== undefined;
  for (const one of all)
    if (!isRecorded(one)) for (const parent of recordAt(other, 'resource', one)?.fields.parents ?? []) all.add(parent);
  return [...all].filter(isRecorded);
}

/** All sets with one of each of these, but of those that are empty. */
function combined(choices: readonly (readonly Path[])[]): Path[][] {
  let sets: Path[][] = [[]];
  for (const some of choices.filter((one) => one.length > 0))
    sets = sets.flatMap((set) => some.map((one) => [...new Set([...set, one])].sort()));
  return sets;
}

/** A resource with all that it lies below. */
export function withAncestors(view: AccessView, path: Path): Set<Path> {
  const all = new Set([path]);
  for (const one of all) for (const parent of recordAt(view, 'resource', one)?.fields.parents ?? []) all.add(parent);
  return all;
}

/** The types that resources of a type may lie below, at any level. */
export function typesAbove(view: AccessView, type: Path): Set<Path> {
  const parents = (one: Path) =>
    (recordAt(view, 'resource_type', one)?.fields.parents ?? []).map((parent) => parent.type);
  const all = new Set(parents(type));
  for (const one of all) for (const more of parents(one)) all.add(more);
  return all;
}

/** The types that a resource may lie below by what a request does not send. */
function typesUnsaid(view: AccessView, { type, place }: JudgedResource): Set<Path> {
  const unsaid = (typeof place === 'object' && place.unsaid) || [];
  const all = new Set<Path>();
  for (const parent of unsaid.length === 0 ? [] : (recordAt(view, 'resource_type', type)?.fields.parents ?? []))
    if (unsaid.includes(parent.property))
      for (const one of [parent.type, ...typesAbove(view, parent.type)]) all.add(one);
  return all;
}

export function locate(view: AccessView, unit: JudgedResource): LocatedResource {
  const { path, place } = unit;
  const places = new Set(path === undefined ? [] : place === 'record' ? withAncestors(view, path) : [path]);
  if (typeof place === 'object')
    for (const parent of place.below) for (const one of withAncestors(view, parent)) places.add(one);
  const among = liesAmongOthers(unit);
  const all = place === 'unsaid' || among;
  const unknown = all ? typesAbove(view, unit.type) : typesUnsaid(view, unit);
  const ancestry: Ancestry = {
    of: (type) => {
      if (!among && unknown.has(type)) return new Absent('resource.properties');
      const found = [...places].filter((one) => one !== path && typeOfResource(one) === type).sort();
      return found.map((one) => mapOf(view, one));
    },
  };
  return { places, unknown, ancestry };
}

function mapOf(view: AccessView, path: Path): ValueMap {
  const [application = '', type = '', name = ''] = path.split('/').map(decodeSegment);
  const record = view.get(`resource/${path}`);
  const properties = (record?.fields as Fields<'resource'> | undefined)?.properties ?? {};
  return ancestorValue({ type, application, name, properties, id: record && knownIdOf(record) });
}

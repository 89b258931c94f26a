import { Absent } from '../conditions/outcome.js';
import type { Ancestry } from '../conditions/scope.js';
import type { ValueMap } from '../conditions/value.js';
import { decodeSegment, type Path, typeOfResource } from '../records/address.js';
import { type AccessView, recordAt } from './access-view.js';

/**
 * A resource that rules are judged on: a recorded one, or any without a record of a type, by where it lies: nowhere, below
 * a recorded one, or where nobody says.
 */
export interface ResourceUnit {
  readonly type: Path;
  /** Of a recorded one. */
  readonly path: Path | undefined;
  readonly place: 'record' | 'nowhere' | 'unsaid' | { readonly below: Path };
  /** The same for equal units. */
  readonly key: string;
}

/** Where a unit lies in one state. */
export interface Located {
  /** The resource itself, if it is recorded, and all that it lies below. */
  readonly places: ReadonlySet<Path>;
  /** Types of which it may have more ancestors, for all that is said. */
  readonly unknown: ReadonlySet<Path>;
  readonly ancestry: Ancestry;
}

export function recordedUnit(path: Path): ResourceUnit {
  return { type: typeOfResource(path), path, place: 'record', key: path };
}

export function unrecordedUnit(type: Path, place: Exclude<ResourceUnit['place'], 'record'>): ResourceUnit {
  return { type, path: undefined, place, key: `${type}//${typeof place === 'string' ? place : place.below}` };
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

export function locate(view: AccessView, unit: ResourceUnit): Located {
  const { path, place } = unit;
  const places =
    path !== undefined
      ? withAncestors(view, path)
      : typeof place === 'object'
        ? withAncestors(view, place.below)
        : new Set<Path>();
  const unknown = place === 'unsaid' ? typesAbove(view, unit.type) : new Set<Path>();
  const ancestry: Ancestry = {
    of: (type) => {
      if (unknown.has(type)) return new Absent('resource.properties');
      const found = [...places].filter((one) => one !== path && typeOfResource(one) === type).sort();
      return found.map((one) => mapOf(view, one));
    },
  };
  return { places, unknown, ancestry };
}

function mapOf(view: AccessView, path: Path): ValueMap {
  const [application = '', type = '', name = ''] = path.split('/').map(decodeSegment);
  return { type, application, name, properties: recordAt(view, 'resource', path)?.fields.properties ?? {} };
}

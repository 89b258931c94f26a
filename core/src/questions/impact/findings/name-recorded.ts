import { type BelowPlace, type ResourceUnit, recordPath } from '../../../access/universe/resource-places.js';
import { append } from '../../../collections/append.js';
import type { Path } from '../../../records/address.js';
import type { FindingResources } from '../api/finding.js';

/** The known places of resources without a record. */
export interface Places {
  /** The resources below which those of a type are looked at. */
  parents(type: Path): Iterable<Path>;
  /** Returns those that lie below no other one of them. */
  highest(resources: readonly Path[]): readonly Path[];
  /** The resources below which one that has a record in one state only is looked at in the other; by its name. */
  placed(type: Path): ReadonlyMap<string, ReadonlySet<Path>>;
}

type Exceptions = Pick<FindingResources, 'not_below'>;

/** The parents below which the same is not said. */
export function exceptions(parents: Iterable<Path>, said: readonly BelowPlace[], places: Places): Exceptions {
  const told = new Set(said.map(({ below }) => below.join('//')));
  const others = [...parents].filter((parent) => !told.has(parent));
  return others.length === 0 ? {} : { not_below: places.highest(others) };
}

/**
 * Resources with a record in either state: those of which the same is said `anywhere`, but for the `usual` exceptions, and
 * apart from these those of which it is said only where requests place them in the state in which they have no record.
 */
export function nameRecorded(
  type: Path,
  units: readonly ResourceUnit[],
  places: Places,
  usual: Exceptions,
): { anywhere: Path[]; apart: FindingResources[] } {
  const anywhere: Path[] = [];
  const apart = new Map<string, FindingResources & { names: Path[]; recorded: number }>();
  const placed: ResourceUnit[] = [];
  for (const [path, of] of byRecord(units)) {
    const others = of.filter(({ place }) => place !== 'record');
    const parents = places.placed(type).get(of[0]?.name ?? '');
    const nowhere = others.some(({ place }) => place === 'nowhere');
    if (others.length === of.length) placed.push(...others);
    else if (parents === undefined) anywhere.push(path);
    else {
      const below = others.flatMap(({ place }) => (typeof place === 'object' ? [place] : []));
      const except = nowhere ? exceptions(parents, below, places) : {};
      if (nowhere && (except.not_below === undefined || String(except.not_below) === String(usual.not_below))) {
        anywhere.push(path);
        continue;
      }
      const which = nowhere ? 'named' : 'unsaid';
      const key = `${which} ${except.not_below}`;
      const known = apart.get(key) ?? { type, which, ...except, names: [], recorded: 0 };
      known.names.push(path);
      known.recorded++;
      apart.set(key, known);
      if (!nowhere) placed.push(...others);
    }
  }
  const sorted = [...apart].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
  for (const { names } of sorted) names.sort();
  return { anywhere, apart: [...sorted, ...namePlaced(type, placed)] };
}

function byRecord(units: readonly ResourceUnit[]): Map<Path, ResourceUnit[]> {
  const found = new Map<Path, ResourceUnit[]>();
  for (const unit of units) {
    const path = recordPath(unit);
    if (path === undefined) continue;
    append(found, path, unit);
  }
  return found;
}

/** Resources that are recorded in one state, by where requests say that they lie in the other. */
function namePlaced(type: Path, units: readonly ResourceUnit[]): FindingResources[] {
  const byPlace = new Map<string, { place: BelowPlace | undefined; names: Path[] }>();
  for (const unit of units) {
    const path = recordPath(unit) as Path;
    const place = typeof unit.place === 'object' ? unit.place : undefined;
    const key = place === undefined ? '' : JSON.stringify(place);
    const known = byPlace.get(key);
    if (known === undefined) byPlace.set(key, { place, names: [path] });
    else known.names.push(path);
  }
  return [...byPlace]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { place, names }]): FindingResources => {
      const said = place === undefined ? { type, which: 'nowhere' as const, recorded: 0 } : nameOf(type, place);
      return { ...said, names: names.sort() };
    });
}

export function nameOf(type: Path, place: BelowPlace): FindingResources {
  const [below, ...more] = place.named ?? place.below;
  return {
    type,
    which: place.unsaid === undefined ? 'unrecorded' : 'unsaid',
    ...(below !== undefined && { below }),
    ...(more.length > 0 && { and_below: more }),
    ...(place.among && { among_others: true }),
    recorded: 0,
  };
}

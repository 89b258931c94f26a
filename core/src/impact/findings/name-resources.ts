import type { Path } from '../../records/address.js';
import type { TypeUniverse } from '../access/column-groups.js';
import type { FindingResources } from '../api/finding.js';
import { type BelowPlace, type ResourceUnit, recordPath } from '../universe/resource-places.js';

/** What is known of the places of resources without a record. */
export interface Places {
  /** The resources below which those of a type are looked at. */
  parents(type: Path): Iterable<Path>;
  /** Of these, those that lie below no other one of them. */
  highest(resources: readonly Path[]): readonly Path[];
}

/** Names resources by type: all of it, those with a record or without, or one by one. */
export function nameResources(
  units: readonly ResourceUnit[],
  universe: (type: Path) => TypeUniverse,
  places: Places,
): FindingResources[] {
  const byType = new Map<Path, ResourceUnit[]>();
  for (const unit of units) {
    const known = byType.get(unit.type);
    if (known === undefined) byType.set(unit.type, [unit]);
    else known.push(unit);
  }
  return [...byType]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([type, of]) => nameType(type, of, universe(type), places));
}

function nameType(
  type: Path,
  of: readonly ResourceUnit[],
  { recorded: all }: TypeUniverse,
  places: Places,
): FindingResources[] {
  const units = of.filter(({ name, place }) => name === undefined || place === 'record');
  const recorded = units.filter(({ place }) => place === 'record').map(({ key }) => key);
  const nowhere = units.some(({ place }) => place === 'nowhere');
  const unsaid = units.some(({ place }) => place === 'unsaid');
  const below = units.flatMap(({ place }) => (typeof place === 'object' ? [place] : []));
  // Where it is all the same whether a resource lies somewhere, it need not be said of each place.
  const told = new Set(below.map((place) => place.below.join('//')));
  const others = nowhere && unsaid ? [...places.parents(type)].filter((parent) => !told.has(parent)) : [];
  const except = others.length === 0 ? {} : { not_below: places.highest(others) };
  const found: FindingResources[] = [];
  if (nowhere && unsaid && recorded.length === all) found.push({ type, which: 'all', recorded: all, ...except });
  else {
    if (recorded.length > 0)
      found.push(
        recorded.length === all && all > 1
          ? { type, which: 'recorded', recorded: all }
          : { type, which: 'named', names: recorded.sort(), recorded: recorded.length },
      );
    if (nowhere && unsaid) found.push({ type, which: 'unrecorded', recorded: 0, ...except });
    else if (nowhere) found.push({ type, which: 'nowhere', recorded: 0 });
    else if (unsaid) found.push({ type, which: 'unsaid', recorded: 0 });
  }
  if (!nowhere || !unsaid) {
    const alone = new Set(below.flatMap((place) => (isPlain(place) ? place.below : [])));
    const highest = new Set(places.highest([...alone]));
    found.push(
      ...namePlaces(
        type,
        below.filter((place) => !isPlain(place) || highest.has(place.below[0] as Path)),
      ),
    );
  }
  const said = new Set(recorded);
  return [
    ...found,
    ...namePlaced(
      type,
      of.filter((unit) => !said.has(recordPath(unit) ?? '')),
    ),
  ];
}

function isPlain({ below, unsaid, among }: BelowPlace): boolean {
  return below.length === 1 && unsaid === undefined && !among;
}

/** Places below resources, without those that another one includes. */
function namePlaces(type: Path, places: readonly BelowPlace[]): FindingResources[] {
  const found: FindingResources[] = [];
  const told: { parents: readonly Path[]; among: boolean }[] = [];
  const size = ({ below, unsaid, among }: BelowPlace) =>
    below.length + (unsaid === undefined ? 0 : 1) + (among ? 0.5 : 0);
  const key = (place: BelowPlace) => (place.named ?? place.below).join('//');
  const order = (left: BelowPlace, right: BelowPlace) => size(left) - size(right) || (key(left) < key(right) ? -1 : 1);
  for (const place of [...places].sort(order)) {
    const parents = [...new Set([...place.below, ...(place.named ?? [])])];
    const among = place.among === true;
    if (told.some((one) => (!one.among || among) && one.parents.every((parent) => parents.includes(parent)))) continue;
    if (place.unsaid === undefined) told.push({ parents: place.named ?? place.below, among });
    found.push(nameOf(type, place));
  }
  return found;
}

function nameOf(type: Path, place: BelowPlace): FindingResources {
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

/** Resources that are recorded in one state, by where requests say that they lie in the other. */
function namePlaced(type: Path, units: readonly ResourceUnit[]): FindingResources[] {
  const byPlace = new Map<string, { place: BelowPlace | undefined; names: Path[] }>();
  for (const unit of units) {
    const path = unit.place === 'record' ? undefined : recordPath(unit);
    if (path === undefined) continue;
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

import type { Path } from '../../records/address.js';
import type { TypeUniverse } from '../access/column-groups.js';
import type { FindingResources } from '../api/finding.js';
import { type ResourceUnit, recordPath } from '../universe/resource-places.js';

/** Names resources by type: all of it, those with a record or without, or one by one. */
export function nameResources(
  units: readonly ResourceUnit[],
  universe: (type: Path) => TypeUniverse,
): FindingResources[] {
  const byType = new Map<Path, ResourceUnit[]>();
  for (const unit of units) {
    const known = byType.get(unit.type);
    if (known === undefined) byType.set(unit.type, [unit]);
    else known.push(unit);
  }
  return [...byType]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([type, of]) => nameType(type, of, universe(type)));
}

function nameType(type: Path, of: readonly ResourceUnit[], { recorded: all }: TypeUniverse): FindingResources[] {
  const units = of.filter(({ name, place }) => name === undefined || place === 'record');
  const recorded = units.filter(({ place }) => place === 'record').map(({ key }) => key);
  const nowhere = units.some(({ place }) => place === 'nowhere');
  const unsaid = units.some(({ place }) => place === 'unsaid');
  const below = units.flatMap(({ place }) => (typeof place === 'object' ? [place.below] : [])).sort();
  const found: FindingResources[] = [];
  if (nowhere && unsaid && recorded.length === all) found.push({ type, which: 'all', recorded: all });
  else {
    if (recorded.length > 0)
      found.push(
        recorded.length === all && all > 1
          ? { type, which: 'recorded', recorded: all }
          : { type, which: 'named', names: recorded.sort(), recorded: recorded.length },
      );
    if (nowhere && unsaid) found.push({ type, which: 'unrecorded', recorded: 0 });
    else if (nowhere) found.push({ type, which: 'nowhere', recorded: 0 });
    else if (unsaid) found.push({ type, which: 'unsaid', recorded: 0 });
  }
  // Where it is all the same whether a resource lies somewhere, it need not be said of each place.
  for (const parent of nowhere && unsaid ? [] : below)
    found.push({ type, which: 'unrecorded', below: parent, recorded: 0 });
  return [...found, ...namePlaced(type, of)];
}

/** Resources that are recorded in one state, by where requests say that they lie in the other. */
function namePlaced(type: Path, units: readonly ResourceUnit[]): FindingResources[] {
  const byPlace = new Map<Path | undefined, Path[]>();
  for (const unit of units) {
    const path = unit.place === 'record' ? undefined : recordPath(unit);
    if (path === undefined) continue;
    const below = typeof unit.place === 'object' ? unit.place.below : undefined;
    byPlace.set(below, [...(byPlace.get(below) ?? []), path]);
  }
  return [...byPlace]
    .sort(([left = ''], [right = '']) => (left < right ? -1 : 1))
    .map(
      ([below, names]): FindingResources =>
        below === undefined
          ? { type, which: 'nowhere', names: names.sort(), recorded: 0 }
          : { type, which: 'unrecorded', below, names: names.sort(), recorded: 0 },
    );
}

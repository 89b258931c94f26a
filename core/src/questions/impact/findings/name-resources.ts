import type { TypeUniverse } from '../../../access/delta/column-groups.js';
import type { BelowPlace, ResourceUnit } from '../../../access/universe/resource-places.js';
import { append } from '../../../collections/append.js';
import type { Path } from '../../../records/address.js';
import type { FindingResources } from '../api/finding.js';
import { exceptions, nameOf, nameRecorded, type Places } from './name-recorded.js';

/** Names resources by type: all of it, those with a record or without, or one by one. */
export function nameResources(
  units: readonly ResourceUnit[],
  universe: (type: Path) => TypeUniverse,
  places: Places,
): FindingResources[] {
  const byType = new Map<Path, ResourceUnit[]>();
  for (const unit of units) {
    append(byType, unit.type, unit);
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
  const nowhere = units.some(({ place }) => place === 'nowhere');
  const unsaid = units.some(({ place }) => place === 'unsaid');
  const lying = units.flatMap(({ place }) => (typeof place === 'object' ? [place] : []));
  const below = lying.filter((place) => !isUnsaidInPart(place));
  // Where it is all the same whether a resource lies somewhere, it need not be said of each place.
  const except = nowhere && unsaid ? exceptions(places.parents(type), below, places) : {};
  const { anywhere, apart } = nameRecorded(type, of, places, except);
  const found: FindingResources[] = [];
  if (nowhere && unsaid && anywhere.length === all) found.push({ type, which: 'all', recorded: all, ...except });
  else {
    if (anywhere.length > 0)
      found.push(
        anywhere.length === all && all > 1
          ? { type, which: 'recorded', recorded: all }
          : { type, which: 'named', names: anywhere.sort(), recorded: anywhere.length },
      );
    if (nowhere && unsaid) found.push({ type, which: 'unrecorded', recorded: 0, ...except });
    else if (nowhere) found.push({ type, which: 'nowhere', recorded: 0 });
    if (unsaid ? !nowhere : below.length < lying.length) found.push({ type, which: 'unsaid', recorded: 0 });
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
  return [...found, ...apart];
}

/** Whether it lies nowhere but where one property would say. */
function isUnsaidInPart({ below, unsaid }: BelowPlace): boolean {
  return below.length === 0 && unsaid !== undefined;
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

import type { ChangedRecord } from '../../../access/universe/record-changes.js';
import type { Dependencies } from './subsets.js';

/** The most alternatives that are named. */
const ALTERNATIVES_MAX = 3;
/** The most ways to leave changes out that are tried for these. */
const TRIED_MAX = 64;
/** The most changes that are taken away one by one first, of those that no other change needs. */
const TOPS_MAX = 32;
/** Each change of a set up to this size is taken away for a try. */
const SURE_MAX = 100;

type Changes = ReadonlySet<ChangedRecord>;

/**
 * Sets of changes that bring about what `holds` says, each minimal by inclusion: changes are taken away for as long as it
 * holds. Of `starts`, those that do not hold are passed over. Once nobody is left to say, `holds` is undefined.
 */
export function minimalSets(
  starts: Iterable<Changes>,
  dependencies: Dependencies,
  holds: (changes: Changes) => boolean | undefined,
): Changes[] {
  const found: Changes[] = [];
  for (const start of starts) {
    if (found.length >= ALTERNATIVES_MAX) break;
    if (found.some((set) => [...set].every((change) => start.has(change))) || !holds(start)) continue;
    found.push(minimal(start, dependencies, holds));
  }
  return found;
}

/**
 * A minimal set, and others: what holds among all changes without one of each set that is known has a set of its own.
 */
export function withAlternatives(
  first: Changes,
  all: Changes,
  dependencies: Dependencies,
  holds: (changes: Changes) => boolean | undefined,
): Changes[] {
  const found = [first];
  const open: (readonly ChangedRecord[])[] = [[]];
  for (let tried = 0; tried < TRIED_MAX && found.length < ALTERNATIVES_MAX; tried++) {
    const gone = open.shift();
    if (gone === undefined) break;
    const left = dependencies.without(all, gone);
    let set = found.find((one) => [...one].every((change) => left.has(change)));
    if (set === undefined && holds(left)) {
      set = minimal(left, dependencies, holds);
      found.push(set);
    }
    for (const change of set ?? []) open.push([...gone, change]);
  }
  return found;
}

/**
 * Takes changes away, many at once first, until it needs each that is left. In a large set, what a change that it needs
 * mentions is not taken away for a try.
 */
function minimal(
  start: Changes,
  dependencies: Dependencies,
  holds: (changes: Changes) => boolean | undefined,
): Changes {
  let kept = start;
  let needed = new Set<ChangedRecord>();
  for (const top of dependencies.tops(start).slice(0, TOPS_MAX)) {
    const less = dependencies.without(kept, [top]);
    const held = holds(less);
    if (held === undefined) return kept;
    if (held) kept = less;
    else for (const one of dependencies.closed([top])) needed.add(one);
  }
  if (kept.size <= SURE_MAX) needed = new Set();
  for (let size = Math.max(1, start.size >> 1); ; size = (size + 1) >> 1) {
    const before = kept;
    const list = [...kept].filter((one) => !needed.has(one));
    for (let at = 0; at < list.length; at += size) {
      const chunk = list.slice(at, at + size).filter((one) => kept.has(one));
      if (chunk.length === 0) continue;
      const less = dependencies.without(kept, chunk);
      const held = holds(less);
      if (held === undefined) return kept;
      if (held) kept = less;
    }
    // What could not go before may go once others have gone.
    if (size === 1 && kept === before) return kept;
  }
}

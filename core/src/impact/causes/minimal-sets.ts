import type { ChangedRecord } from '../universe/record-changes.js';
import type { Dependencies } from './subsets.js';

/** So many alternatives are named. */
const ALTERNATIVES_MAX = 3;

type Changes = ReadonlySet<ChangedRecord>;

/**
 * Sets of changes that bring about what `holds` says, each minimal by inclusion: changes are taken away for as long as it
 * holds. Of `starts`, those that do not hold are passed over.
 */
export function minimalSets(
  starts: Iterable<Changes>,
  dependencies: Dependencies,
  holds: (changes: Changes) => boolean,
): Changes[] {
  const found: Changes[] = [];
  for (const start of starts) {
    if (found.length >= ALTERNATIVES_MAX) break;
    const known = found.some((set) => [...set].every((change) => start.has(change)));
    if (known || !holds(start)) continue;
    found.push(minimal(start, dependencies, holds));
  }
  return found;
}

/** Takes changes away, many at once first. */
function minimal(start: Changes, dependencies: Dependencies, holds: (changes: Changes) => boolean): Changes {
  let kept = start;
  for (let size = start.size >> 1; size >= 1; size = size === 1 ? 0 : (size + 1) >> 1) {
    const list = [...kept];
    for (let at = 0; at < list.length; at += size) {
      const chunk = list.slice(at, at + size).filter((one) => kept.has(one));
      if (chunk.length === 0) continue;
      const less = dependencies.without(kept, chunk);
      if (holds(less)) kept = less;
    }
  }
  return kept;
}

import type { ChangedRecord } from '../universe/record-changes.js';
import type { Dependencies } from './subsets.js';

/** So many alternatives are named. */
export const ALTERNATIVES_MAX = 3;

/**
 * Sets of changes that bring about what `holds` says, each minimal by inclusion, found by taking changes away for as long
 * as it holds. `relevant` must hold.
 */
export function minimalSets(
  relevant: ReadonlySet<ChangedRecord>,
  dependencies: Dependencies,
  holds: (changes: ReadonlySet<ChangedRecord>) => boolean,
): ReadonlySet<ChangedRecord>[] {
  const minimal = (from: ReadonlySet<ChangedRecord>) => {
    let kept = from;
    for (const one of from) {
      if (!kept.has(one)) continue;
      const less = dependencies.without(kept, one);
      if (holds(less)) kept = less;
    }
    return kept;
  };
  const found = [minimal(relevant)];
  for (const known of found) {
    for (const one of known) {
      if (found.length >= ALTERNATIVES_MAX) return found;
      const others = dependencies.without(relevant, one);
      if (!holds(others)) continue;
      const other = minimal(others);
      if (!found.some((set) => set.size === other.size && [...other].every((change) => set.has(change))))
        found.push(other);
    }
  }
  return found;
}

/** Results for one action: ids in order, and whether there were more. */
export interface FoundOfAction {
  action: string;
  ids: readonly string[];
  cut: boolean;
}

/** A name as paths write it: the order of what is found is that of addresses. */
export function segment(name: string): string {
  return name.replace(/[%/\s\p{Cc}]/gu, (character) => encodeURIComponent(character));
}

/**
 * The ids with all of their actions, in order. Behind the last id of an action that was cut off, nothing is known of
 * that action: ids behind the first such place are left out, rather than shown with too few actions.
 */
export function knownRows(found: readonly FoundOfAction[]): { id: string; actions: string[] }[] {
  const rows = new Map<string, string[]>();
  for (const { action, ids } of found) for (const id of ids) rows.set(id, [...(rows.get(id) ?? []), action]);
  const ends = found.flatMap(({ ids, cut }) => (cut ? ids.slice(-1).map(segment) : []));
  return [...rows]
    .map(([id, actions]) => ({ id, actions, place: segment(id) }))
    .filter(({ place }) => found.length === 1 || ends.every((end) => place <= end))
    .sort((left, right) => (left.place < right.place ? -1 : 1))
    .map(({ id, actions }) => ({ id, actions }));
}

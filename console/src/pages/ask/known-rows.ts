/** What was found of one action: ids in order, and whether there were more. */
export interface FoundOfAction {
  action: string;
  ids: readonly string[];
  cut: boolean;
}

/**
 * The ids with all of their actions, in order. Behind the last id of an action that was cut off, nothing is known of
 * that action: ids behind the first such place are left out, rather than shown with too few actions.
 */
export function knownRows(found: readonly FoundOfAction[]): { id: string; actions: string[] }[] {
  const rows = new Map<string, string[]>();
  for (const { action, ids } of found) for (const id of ids) rows.set(id, [...(rows.get(id) ?? []), action]);
  const ends = found.flatMap(({ ids, cut }) => (cut ? ids.slice(-1) : []));
  return [...rows]
    .filter(([id]) => found.length === 1 || ends.every((end) => id <= end))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([id, actions]) => ({ id, actions }));
}

/** These, and all that is reached from them. */
export function closure(start: Iterable<string>, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set(start);
  for (const one of found) for (const other of next.get(one) ?? []) found.add(other);
  return found;
}

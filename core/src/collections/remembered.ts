/** The value of a key, made where there is none yet. */
export function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key);
  if (value !== undefined || known.has(key)) return value as V;
  const made = make();
  known.set(key, made);
  return made;
}

interface Lists<K, V> {
  get(key: K): V[] | undefined;
  set(key: K, list: V[]): unknown;
}

/** Adds to the list of a key, which begins with the first value. */
export function append<K, V>(lists: Lists<K, V>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

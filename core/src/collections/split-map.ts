/** A power of two. */
const PARTS = 64;
/** The most entries that are moved at once, in a third of a millisecond. */
const WHOLE_MAX = 2048;
/** The number of characters at either end of a key that choose its part. */
const ENDS = 32;

/**
 * A map of strings that grows without a pause. A `Map` that has no room left makes a table of twice the size and moves
 * every entry there at once, and the garbage collector goes through a table at once, too: 30 ms at 130,000 entries. So
 * one that has become large is kept in parts, by a hash of the key. A key of a length that no other has is not looked for:
 * names and ids of records mostly differ in that.
 */
export class SplitMap<V> {
  #whole: Map<string, V> | null = new Map();
  #parts: Map<string, V>[] = [];
  /** A bit for every length of a key modulo 32. */
  #lengths = 0;

  get(key: string): V | undefined {
    if ((this.#lengths & (1 << (key.length & 31))) === 0) return undefined;
    return (this.#whole ?? this.#part(key)).get(key);
  }

  set(key: string, value: V): this {
    const map = this.#whole ?? this.#part(key);
    map.set(key, value);
    this.#lengths |= 1 << (key.length & 31);
    if (map === this.#whole && map.size > WHOLE_MAX) this.#split(map);
    return this;
  }

  delete(key: string): boolean {
    return (this.#whole ?? this.#part(key)).delete(key);
  }

  get size(): number {
    return this.#whole?.size ?? this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  /** How many entries its largest table has. */
  get largest(): number {
    return this.#whole?.size ?? Math.max(...this.#parts.map(({ size }) => size));
  }

  *values(): Generator<V, void> {
    if (this.#whole !== null) yield* this.#whole.values();
    else for (const part of this.#parts) yield* part.values();
  }

  #part(key: string): Map<string, V> {
    return this.#parts[hashOf(key) & (PARTS - 1)] as Map<string, V>;
  }

  #split(whole: Map<string, V>): void {
    this.#parts = Array.from({ length: PARTS }, () => new Map());
    this.#whole = null;
    for (const [key, value] of whole) this.#part(key).set(key, value);
  }
}

/** FNV-1a; of a long key, its two ends. */
export function hashOf(key: string): number {
  const { length } = key;
  const end = length > 2 * ENDS ? ENDS : length;
  let hash = length;
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  for (let at = Math.max(end, length - ENDS); at < length; at++)
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}

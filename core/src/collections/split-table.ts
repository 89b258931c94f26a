import { hashOf } from './split-map.js';

/** A power of two. */
const PARTS = 64;
/** The most entries that are moved at once, in a third of a millisecond. */
const WHOLE_MAX = 2048;

/** A map of named things that grows without a pause, as `SplitMap` does: kept in parts, by a hash of the name. */
export class SplitTable<K extends { readonly name: string }, V> {
  #whole: Map<K, V> | null = new Map();
  #parts: Map<K, V>[] = [];

  get(key: K): V | undefined {
    return this.#at(key).get(key);
  }

  has(key: K): boolean {
    return this.#at(key).has(key);
  }

  set(key: K, value: V): this {
    const map = this.#at(key);
    map.set(key, value);
    if (map === this.#whole && map.size > WHOLE_MAX) this.#split(map);
    return this;
  }

  get size(): number {
    return this.#whole?.size ?? this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  *keys(): Generator<K, void> {
    if (this.#whole !== null) yield* this.#whole.keys();
    else for (const part of this.#parts) yield* part.keys();
  }

  #at(key: K): Map<K, V> {
    return this.#whole ?? (this.#parts[hashOf(key.name) & (PARTS - 1)] as Map<K, V>);
  }

  #split(whole: Map<K, V>): void {
    this.#parts = Array.from({ length: PARTS }, () => new Map());
    this.#whole = null;
    for (const [key, value] of whole) this.#at(key).set(key, value);
  }
}

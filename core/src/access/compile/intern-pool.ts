import { SplitMap } from '../../collections/split-map.js';

/** Keeps one copy of equal items for as long as anybody uses it. */
export class InternPool<T> {
  readonly #held = new SplitMap<{ item: T; users: number }>();

  take(key: string, make: () => T): T {
    const held = this.#held.get(key);
    if (held === undefined) {
      const item = make();
      this.#held.set(key, { item, users: 1 });
      return item;
    }
    held.users++;
    return held.item;
  }

  /** Returns the item where nobody uses it any more. */
  release(key: string): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) throw new Error(`"${key}" is not held`);
    held.users--;
    if (held.users > 0) return undefined;
    this.#held.delete(key);
    return held.item;
  }
}

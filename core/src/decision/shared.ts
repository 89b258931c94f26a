import { SplitMap } from './split-map.js';

/** Equal things kept as one, as long as anybody uses them. */
export class Shared<T> {
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

  /** Returns the thing where nobody uses it any more. */
  release(key: string): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) throw new Error(`"${key}" is not held`);
    held.users--;
    if (held.users > 0) return undefined;
    this.#held.delete(key);
    return held.item;
  }
}

/** Numbers texts, each the same one every time. */
export class Interner<T = undefined> {
  readonly #ids = new Map<string, number>();
  readonly #items: T[] = [];

  of(text: string, make: () => T): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#items.length;
    this.#ids.set(text, id);
    this.#items.push(make());
    return id;
  }

  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  at(id: number): T {
    return this.#items[id] as T;
  }
}

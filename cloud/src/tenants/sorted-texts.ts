/** A chunk that grows beyond this is cut in two: to insert into one takes less than a microsecond. */
const CHUNK_MAX = 1024;

/** Texts in the order of their UTF-16 units, each once, kept in chunks: one that comes or goes moves few others. */
export class SortedTexts {
  /** Each holds some, all of them before those of the next. */
  readonly #chunks: string[][] = [];

  /** `sorted` are in order and each once. */
  constructor(sorted: readonly string[] = []) {
    for (let from = 0; from < sorted.length; from += CHUNK_MAX / 2)
      this.#chunks.push(sorted.slice(from, from + CHUNK_MAX / 2));
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  add(text: string): void {
    const at = this.#chunkFor(text);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([text]);
      return;
    }
    const index = firstFrom(chunk, text);
    if (chunk[index] === text) return;
    chunk.splice(index, 0, text);
    if (chunk.length > CHUNK_MAX) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK_MAX / 2));
  }

  /** Adds what comes after all others. */
  append(text: string): void {
    const last = this.#chunks.at(-1);
    if (last === undefined || last.length >= CHUNK_MAX) this.#chunks.push([text]);
    else last.push(text);
  }

  delete(text: string): void {
    const at = this.#chunkFor(text);
    const chunk = this.#chunks[at] ?? [];
    const index = firstFrom(chunk, text);
    if (chunk[index] !== text) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Those that are this text or come after it, in order. Nothing may be added or deleted meanwhile. */
  *from(text: string): Generator<string, void> {
    for (let at = this.#chunkFor(text); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      for (let index = firstFrom(chunk, text); index < chunk.length; index++) yield chunk[index] as string;
    }
  }

  /** The index of the last chunk that begins with this text or before it; of the first if there is none. */
  #chunkFor(text: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.[0] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The index of the first text that is this one or comes after it. */
function firstFrom(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

import { type ProblemCode, ProblemError, type ProblemItem } from '../problem.js';

/** More faults than this are counted, not listed. */
const LISTED_MAX = 100;

/** The faults of one sort in a change-set, thrown together. */
export class Faults {
  readonly #items: ProblemItem[] = [];

  constructor(readonly code: ProblemCode) {}

  add(pointer: string, detail: string, address?: string): void {
    this.#items.push({ pointer, detail, ...(address !== undefined && { address }) });
  }

  get count(): number {
    return this.#items.length;
  }

  /** Throws when there are any. */
  raise(): void {
    const [first] = this.#items;
    if (!first) return;
    const more = this.#items.length - 1;
    const start = this.code === 'invalid_records' ? `${first.address ?? first.pointer}: ` : '';
    const rest = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'fault' : 'faults'})`;
    throw new ProblemError(this.code, `${start}${first.detail}${rest}`, this.#items.slice(0, LISTED_MAX));
  }
}

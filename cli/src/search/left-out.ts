import type { LeftOut } from '@authz-service/sdk/search';
import { printable } from '../output/text.js';

/** Counts what searches left out because the request says too little. */
export class LeftOutCount {
  #count = 0;
  readonly #absent = new Set<string>();

  /** Given to searches. */
  readonly note = ({ count, absent }: LeftOut): void => {
    this.#count += count;
    for (const attribute of absent) this.#absent.add(attribute);
  };

  /** The end of a sentence about what was found. */
  get text(): string {
    if (this.#count === 0) return '';
    const absent = this.#absent.size === 0 ? 'enough' : [...this.#absent].sort().map(printable).join(', ');
    return `; ${this.#count} left out, because the request does not say ${absent} (--possible lists them)`;
  }

  /** The member of the JSON document. */
  get json(): object {
    return this.#count === 0 ? {} : { left_out: { count: this.#count, absent: [...this.#absent].sort() } };
  }
}

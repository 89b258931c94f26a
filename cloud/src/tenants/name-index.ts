import { compareTexts, sortedInSteps } from '@authz-service/core/collections/sorted-in-steps';
import { SplitMap } from '@authz-service/core/collections/split-map';
import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Changed, Made } from './kept-by-kind.js';
import { SortedTexts } from './sorted-texts.js';

/** Records read, or words taken over, in one step: some tenths of a millisecond. */
const STEP = 100;

/** One word in the names of one record. */
export interface NameEntry {
  word: string;
  address: Address;
}

/** A word with the addresses of its records: most have one. */
interface Word {
  word: string;
  addresses: Address | SortedTexts;
}

/** The words in the names of a kind's records, in order, each with the addresses of its records. */
export class NameIndex implements Made {
  readonly #sorted: SortedTexts;

  private constructor(
    sorted: readonly string[],
    private readonly words: SplitMap<Word>,
  ) {
    this.#sorted = new SortedTexts(sorted);
  }

  static *of(records: readonly StoredRecord[]): Generator<undefined, NameIndex> {
    const words = new SplitMap<Word>();
    // In their order, so that the addresses of a word come in theirs.
    const inOrder = yield* sortedInSteps(records, (left, right) => compareTexts(left.address, right.address));
    yield* eachInSteps(inOrder, STEP, (record) => {
      for (const word of wordsOf(record)) {
        const known = words.get(word);
        if (known === undefined) words.set(word, { word, addresses: record.address });
        else if (typeof known.addresses === 'string')
          known.addresses = new SortedTexts([known.addresses, record.address]);
        else known.addresses.append(record.address);
      }
    });
    const all: string[] = [];
    yield* eachInSteps(words.values(), STEP * 10, ({ word }) => all.push(word));
    return new NameIndex(yield* sortedInSteps(all, compareTexts), words);
  }

  change({ record, there }: Changed): void {
    for (const word of wordsOf(record)) {
      if (there) this.#add(word, record.address);
      else this.#delete(word, record.address);
    }
  }

  /** The entries that are this one or come after it, in order: by word, and then by address. */
  *from({ word, address }: NameEntry): Generator<NameEntry, void> {
    for (const each of this.#sorted.from(word)) {
      const { addresses = '' } = this.words.get(each) ?? {};
      const least = each === word ? address : '';
      const all = typeof addresses === 'string' ? [addresses].filter((one) => one >= least) : addresses.from(least);
      for (const one of all) yield { word: each, address: one as Address };
    }
  }

  #add(word: string, address: Address): void {
    const known = this.words.get(word);
    if (known === undefined) {
      this.#sorted.add(word);
      this.words.set(word, { word, addresses: address });
    } else if (typeof known.addresses !== 'string') known.addresses.add(address);
    else if (known.addresses !== address)
      known.addresses = new SortedTexts([known.addresses, address].sort(compareTexts));
  }

  #delete(word: string, address: Address): void {
    const { addresses } = this.words.get(word) ?? {};
    if (typeof addresses === 'object') addresses.delete(address);
    if (addresses !== address && !(typeof addresses === 'object' && addresses.isEmpty)) return;
    this.words.delete(word);
    this.#sorted.delete(word);
  }
}

/** How names and what is sought are compared. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Returns the words that a record is found by, each once: its path, its name, and the words of these. Of a link that is the
 * names of all it joins.
 */
export function wordsOf({ address, fields }: StoredRecord): Set<string> {
  const { path } = splitAddress(address);
  const words = new Set([folded(path)]);
  const segments = path.split('/').filter((segment) => segment !== '');
  const named = path.includes('//') ? segments : segments.slice(-1);
  const { name } = fields as { name?: unknown };
  for (const text of [...named.map(decodeURIComponent), ...(typeof name === 'string' ? [name] : [])]) {
    const whole = folded(text);
    words.add(whole);
    for (const word of whole.split(/[^\p{L}\p{N}]+/u)) words.add(word);
  }
  words.delete('');
  return words;
}

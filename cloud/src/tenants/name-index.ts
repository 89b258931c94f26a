import { type Address, splitAddress } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { eachInSteps } from '@authz-service/core/time-slicing';
import { sortedInSteps } from './sorted-in-steps.js';

/** Records read in one step of building: some tenths of a millisecond. */
const STEP = 100;
/** Larger changes cause a new list when it is next asked for: each insertion into one of millions takes a millisecond. */
const IN_PLACE_MAX = 50;

/** Stands between word and address, sorts before every other character, and is in no name. */
const END = '\0';

/**
 * The words in the names of each kind's records, in one sorted list: every entry is a word and the address of a record.
 * What is a word stands before what begins with it. A list is built when it is first asked for, step by step, and then
 * follows commits.
 */
export class NameIndex {
  readonly #lists = new Map<Kind, string[]>();
  /** The commits since a build began; it begins anew where one was too large. */
  readonly #missed = new Map<Kind, Staged[]>();
  readonly #builds = new Map<Kind, Promise<string[]>>();

  /** `run` runs work step by step. */
  constructor(private readonly run: <T>(steps: Generator<undefined, T>) => Promise<T>) {}

  async of(kind: Kind, records: () => readonly StoredRecord[]): Promise<readonly string[]> {
    const known = this.#lists.get(kind);
    if (known) return known;
    const build = this.#builds.get(kind) ?? this.#build(kind, records).finally(() => this.#end(kind));
    this.#builds.set(kind, build);
    return await build;
  }

  /** Applies a commit. */
  follow(staged: Staged): void {
    for (const missed of this.#missed.values()) missed.push(staged);
    for (const [kind, list] of this.#lists) if (!follow(list, kind, staged)) this.#lists.delete(kind);
  }

  clear(): void {
    this.#lists.clear();
    for (const kind of this.#missed.keys()) this.#missed.delete(kind);
  }

  async #build(kind: Kind, records: () => readonly StoredRecord[]): Promise<string[]> {
    for (;;) {
      const missed: Staged[] = [];
      this.#missed.set(kind, missed);
      const list = await this.run(entriesOf([...records()]));
      // This turn of the event loop sees every commit that came meanwhile.
      const current = this.#missed.get(kind) === missed;
      if (!current || !missed.every((staged) => follow(list, kind, staged))) continue;
      this.#missed.delete(kind);
      this.#lists.set(kind, list);
      return list;
    }
  }

  #end(kind: Kind): void {
    this.#builds.delete(kind);
    this.#missed.delete(kind);
  }
}

function* entriesOf(records: readonly StoredRecord[]): Generator<undefined, string[]> {
  const entries: string[] = [];
  yield* eachInSteps(records, STEP, (record) => {
    for (const word of wordsOf(record)) entries.push(entryOf(word, record));
  });
  return yield* sortedInSteps(entries);
}

/** Whether the list could follow. */
function follow(list: string[], kind: Kind, { put, remove }: Staged): boolean {
  const gone = [...remove, ...put.flatMap(({ previous }) => previous ?? [])].filter((record) => record.kind === kind);
  const come = put.flatMap(({ record }) => (record.kind === kind ? [record] : []));
  if (gone.length + come.length > IN_PLACE_MAX) return false;
  for (const record of gone)
    for (const word of wordsOf(record)) {
      const entry = entryOf(word, record);
      const at = firstFrom(list, entry);
      if (list[at] === entry) list.splice(at, 1);
    }
  for (const record of come)
    for (const word of wordsOf(record)) {
      const entry = entryOf(word, record);
      list.splice(firstFrom(list, entry), 0, entry);
    }
  return true;
}

function entryOf(word: string, { address }: StoredRecord): string {
  return word + END + address;
}

/** The address in an entry. */
export function addressOf(entry: string): Address {
  return entry.slice(entry.indexOf(END) + 1);
}

/** Whether the entry's whole word is this one. */
export function isExact(entry: string, word: string): boolean {
  return entry.startsWith(word + END);
}

/** How names and what is sought are compared. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * What a record is found by, each once: its path, its name, and the words of these. Of a link that is the names of all
 * it joins.
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

/** The index of the first entry that is this text or comes after it. */
export function firstFrom(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

import { Buffer } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { finished } from '../concurrency/time-slicing.js';
import { canonicalJson } from '../json/json.js';
import type { Address } from '../records/address.js';
import { distributedFields, type Kind } from '../records/kinds.js';

const LEAF_BYTES = 32;
const LEAF_WORDS = LEAF_BYTES / Int32Array.BYTES_PER_ELEMENT;
/** More leaves than a bucket ever has. */
const SIZE_MAX = 2 ** 21;
const BUCKETS = 256;

/**
 * The digest of a set of records, updated record by record.
 *
 * The leaf of a record is the SHA-256 of its address, a line feed and the canonical JSON of its fields, as bundles have
 * them. Leaves fall into 256 buckets by their first byte; the hash of a bucket is the SHA-256 of its leaves in ascending
 * order; the digest is the SHA-256 of the hashes of all non-empty buckets, in order. So the digest depends only on the
 * records' content, and a change costs one bucket, whose leaves are kept in order so that they need not be sorted again.
 */
export class DigestSet {
  readonly #buckets: (Bucket | undefined)[] = new Array(BUCKETS).fill(undefined);
  #digest: string | undefined;
  /** Marks the buckets that are this set's; not the set itself, which they would keep alive with all of its own. */
  readonly #self = Symbol();

  add(address: Address, fields: unknown): void {
    const leaf = leafOf(address, fields);
    this.#own(leaf.charCodeAt(0)).add(leaf);
    this.#digest = undefined;
  }

  /**
   * The same set, to be changed without changing this one, at the cost of the buckets that are changed. This one must
   * stay as it is while the copy is in use.
   */
  copy(): DigestSet {
    const copy = new DigestSet();
    for (const [index, bucket] of this.#buckets.entries()) copy.#buckets[index] = bucket;
    copy.#digest = this.#digest;
    return copy;
  }

  /** A bucket that is this set's alone. */
  #own(index: number): Bucket {
    const present = this.#buckets[index];
    if (present?.owner === this.#self) return present;
    const own = new Bucket(this.#self, present);
    this.#buckets[index] = own;
    return own;
  }

  /** Takes out a record that `add` put in with equal fields. */
  remove(address: Address, fields: unknown): void {
    const leaf = leafOf(address, fields);
    const index = leaf.charCodeAt(0);
    const bucket = this.#buckets[index] && this.#own(index);
    if (!bucket?.remove(leaf)) throw new Error(`The digest holds no such record: ${address}`);
    if (bucket.size === 0) this.#buckets[index] = undefined;
    this.#digest = undefined;
  }

  /** 64 hex digits. */
  hex(): string {
    return finished(this.hexInSteps());
  }

  /** Does what `hex` does, bucket by bucket, so that a caller can do other work between them. */
  *hexInSteps(): Generator<undefined, string> {
    if (this.#digest !== undefined) return this.#digest;
    const all = createHash('sha256');
    for (const bucket of this.#buckets) {
      if (!bucket) continue;
      all.update(bucket.hash());
      yield;
    }
    this.#digest = all.digest('hex');
    return this.#digest;
  }
}

/** The leaf as a string of 32 one-byte characters: a quarter of the cost of a Buffer, and it sorts like the bytes. */
function leafOf(address: Address, fields: unknown): string {
  const kind = address.slice(0, address.indexOf('/')) as Kind;
  return hash('sha256', `${address}\n${canonicalJson(distributedFields(kind, fields as object))}`, 'binary');
}

const NOTHING = Buffer.alloc(0);

/** From so many leaves on, sorting a bucket anew is cheaper than putting them in their places one by one. */
const TAIL_MAX = 32;

/** The leaves of one bucket side by side, 32 bytes each: in order as far as they have been hashed, then as they came. */
class Bucket {
  size = 0;
  /** How many leaves from the front on are in order. */
  #sorted = 0;
  #leaves: Buffer = NOTHING;
  /** The memory of `#leaves` as 32-bit words. */
  #words: Int32Array = new Int32Array();
  #hash: Buffer | undefined;

  /** `owner` marks the set that may change it; the leaves are those of `like`. */
  constructor(
    readonly owner: symbol,
    like?: Bucket,
  ) {
    this.#hold(Buffer.alloc(like === undefined ? 4 * LEAF_BYTES : like.#leaves.length), like);
    if (like === undefined) return;
    this.size = like.size;
    this.#sorted = like.#sorted;
    this.#hash = like.#hash;
  }

  add(leaf: string): void {
    const end = this.size * LEAF_BYTES;
    if (end === this.#leaves.length) this.#resize(end * 2);
    this.#leaves.write(leaf, end, LEAF_BYTES, 'binary');
    this.size += 1;
    this.#hash = undefined;
  }

  /** Whether the leaf was there. */
  remove(leaf: string): boolean {
    if (this.size - this.#sorted > TAIL_MAX) this.#sort();
    const index = this.#find(Buffer.from(leaf, 'binary'));
    if (index < 0) return false;
    this.#leaves.copyWithin(index * LEAF_BYTES, (index + 1) * LEAF_BYTES, this.size * LEAF_BYTES);
    this.size -= 1;
    if (index < this.#sorted) this.#sorted -= 1;
    const end = this.size * LEAF_BYTES;
    if (this.#leaves.length > 8 * LEAF_BYTES && end < this.#leaves.length / 4) this.#resize(this.#leaves.length / 2);
    this.#hash = undefined;
    return true;
  }

  hash(): Buffer {
    if (!this.#hash) {
      if (this.size - this.#sorted > TAIL_MAX) this.#sort();
      else while (this.#sorted < this.size) this.#place();
      this.#hash = createHash('sha256').update(this.#used()).digest();
    }
    return this.#hash;
  }

  #used(): Buffer {
    return this.#leaves.subarray(0, this.size * LEAF_BYTES);
  }

  /**
   * By the four bytes after the first, which are the same number for two leaves so seldom that those are put right one
   * by one.
   */
  #sort(): void {
    const { size } = this;
    const keys = new Float64Array(size);
    for (let index = 0; index < size; index++) {
      keys[index] = this.#leaves.readUInt32BE(index * LEAF_BYTES + 1) * SIZE_MAX + index;
    }
    keys.sort();
    const unsorted = this.#words.slice(0, size * LEAF_WORDS);
    for (let rank = 0; rank < size; rank++) {
      const from = ((keys[rank] as number) % SIZE_MAX) * LEAF_WORDS;
      const to = rank * LEAF_WORDS;
      for (let word = 0; word < LEAF_WORDS; word++) this.#words[to + word] = unsorted[from + word] as number;
    }
    this.#sorted = Math.min(size, 1);
    while (this.#sorted < size) {
      const [last, next] = [keys[this.#sorted - 1] as number, keys[this.#sorted] as number];
      if (Math.floor(last / SIZE_MAX) === Math.floor(next / SIZE_MAX)) this.#place();
      else this.#sorted += 1;
    }
  }

  /** Moves the first leaf that is out of order to its place. */
  #place(): void {
    const from = this.#sorted * LEAF_BYTES;
    const leaf = Buffer.from(this.#leaves.subarray(from, from + LEAF_BYTES));
    const to = this.#rank(leaf) * LEAF_BYTES;
    this.#leaves.copyWithin(to + LEAF_BYTES, to, from);
    leaf.copy(this.#leaves, to);
    this.#sorted += 1;
  }

  /** The index of the leaf, or -1. */
  #find(leaf: Buffer): number {
    const rank = this.#rank(leaf);
    if (rank < this.#sorted && this.#compare(leaf, rank) === 0) return rank;
    for (let index = this.#sorted; index < this.size; index++) if (this.#compare(leaf, index) === 0) return index;
    return -1;
  }

  /** How many of the leaves that are in order come before this one. */
  #rank(leaf: Buffer): number {
    let low = 0;
    let high = this.#sorted;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(leaf, middle) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(leaf: Buffer, index: number): number {
    return leaf.compare(this.#leaves, index * LEAF_BYTES, (index + 1) * LEAF_BYTES);
  }

  #resize(bytes: number): void {
    this.#hold(Buffer.alloc(bytes), this);
  }

  #hold(memory: Buffer, like: Bucket | undefined): void {
    if (like !== undefined) like.#leaves.copy(memory, 0, 0, Math.min(memory.length, like.#leaves.length));
    this.#leaves = memory;
    this.#words = new Int32Array(memory.buffer, memory.byteOffset, memory.length / Int32Array.BYTES_PER_ELEMENT);
  }
}

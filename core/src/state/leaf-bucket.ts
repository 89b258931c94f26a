import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

const LEAF_BYTES = 32;
/** Leaves in one chunk at most: the part of a bucket that a change copies. */
const CHUNK = 64;
/** Two neighbours with no more leaves than this become one chunk. */
const MERGED_MAX = CHUNK / 2;

/** Holds the leaves of the bucket that is being hashed. */
let joined = Buffer.alloc(0);

/**
 * The leaves of one bucket in ascending order, as strings of 32 one-byte characters. They stand in chunks, which copies of the
 * bucket share until one of them changes a chunk: so a change copies a chunk and not the bucket.
 */
export class LeafBucket {
  size = 0;
  readonly #chunks: Chunk[] = [];
  #hash: Buffer | undefined;

  /** `owner` marks the set that may change it; the leaves are those of `like`, which must stay as it is. */
  constructor(
    readonly owner: symbol,
    like?: LeafBucket,
  ) {
    if (like === undefined) return;
    this.size = like.size;
    this.#chunks = like.#chunks.slice();
    this.#hash = like.#hash;
  }

  add(leaf: string): void {
    if (this.#chunks.length === 0) this.#chunks.push(new Chunk(this.owner));
    const at = this.#placeOf(leaf);
    const chunk = this.#own(at);
    if (chunk.size < CHUNK) chunk.insert(leaf);
    else {
      const upper = chunk.split();
      this.#chunks.splice(at + 1, 0, upper);
      (upper.compare(leaf, 0) < 0 ? chunk : upper).insert(leaf);
    }
    this.size += 1;
    this.#hash = undefined;
  }

  /** Whether the leaf was there. */
  remove(leaf: string): boolean {
    const at = this.#placeOf(leaf);
    const isThere = this.#chunks[at]?.has(leaf) ?? false;
    if (!isThere) return false;
    const chunk = this.#own(at);
    chunk.remove(leaf);
    const next = this.#chunks[at + 1];
    if (chunk.size === 0) this.#chunks.splice(at, 1);
    else if (next !== undefined && chunk.size + next.size <= MERGED_MAX) {
      chunk.append(next);
      this.#chunks.splice(at + 1, 1);
    }
    this.size -= 1;
    this.#hash = undefined;
    return true;
  }

  /** SHA-256 of the leaves. */
  hash(): Buffer {
    if (this.#hash === undefined) {
      if (joined.length < this.size * LEAF_BYTES) joined = Buffer.alloc(2 * this.size * LEAF_BYTES);
      let end = 0;
      for (const chunk of this.#chunks) end += chunk.copyTo(joined, end);
      this.#hash = hash('sha256', joined.subarray(0, end), 'buffer');
    }
    return this.#hash;
  }

  /** The place of the last chunk that begins with this leaf or one before it, or else of the first. */
  #placeOf(leaf: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#chunks[middle] as Chunk).compare(leaf, 0) < 0) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** A chunk that is this bucket's alone. */
  #own(at: number): Chunk {
    const present = this.#chunks[at] as Chunk;
    if (present.owner === this.owner) return present;
    const own = new Chunk(this.owner);
    own.append(present);
    this.#chunks[at] = own;
    return own;
  }
}

/** Leaves side by side, in ascending order. */
class Chunk {
  size = 0;
  readonly #bytes = Buffer.allocUnsafeSlow(CHUNK * LEAF_BYTES);

  constructor(readonly owner: symbol) {}

  /** Less than 0 if this leaf comes before the one at a place here, and 0 if it is the same. */
  compare(leaf: string, at: number): number {
    const from = at * LEAF_BYTES;
    for (let index = 0; index < LEAF_BYTES; index++) {
      const difference = leaf.charCodeAt(index) - (this.#bytes[from + index] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  has(leaf: string): boolean {
    const rank = this.#rank(leaf);
    return rank < this.size && this.compare(leaf, rank) === 0;
  }

  insert(leaf: string): void {
    const at = this.#rank(leaf) * LEAF_BYTES;
    this.#bytes.copyWithin(at + LEAF_BYTES, at, this.size * LEAF_BYTES);
    this.#bytes.write(leaf, at, LEAF_BYTES, 'binary');
    this.size += 1;
  }

  /** Takes out a leaf that is there. */
  remove(leaf: string): void {
    const at = this.#rank(leaf) * LEAF_BYTES;
    this.#bytes.copyWithin(at, at + LEAF_BYTES, this.size * LEAF_BYTES);
    this.size -= 1;
  }

  /** Takes the upper half of the leaves out, and returns it. */
  split(): Chunk {
    const upper = new Chunk(this.owner);
    const kept = this.size >>> 1;
    this.#bytes.copy(upper.#bytes, 0, kept * LEAF_BYTES, this.size * LEAF_BYTES);
    upper.size = this.size - kept;
    this.size = kept;
    return upper;
  }

  /** Adds the leaves of a chunk that comes after this one. */
  append(next: Chunk): void {
    this.size += next.copyTo(this.#bytes, this.size * LEAF_BYTES) / LEAF_BYTES;
  }

  /** Returns the number of bytes that it has written. */
  copyTo(target: Buffer, at: number): number {
    return this.#bytes.copy(target, at, 0, this.size * LEAF_BYTES);
  }

  /** How many of the leaves come before this one. */
  #rank(leaf: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(leaf, middle) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

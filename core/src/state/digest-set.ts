import { Buffer } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { canonicalJson } from '../json.js';
import type { Address } from '../records/address.js';

const LEAF_BYTES = 32;
const BUCKETS = 256;

/**
 * The digest of a set of records, kept up to date record by record.
 *
 * A record's leaf is the SHA-256 of its address, a line feed and the canonical JSON of its fields. Leaves fall into
 * 256 buckets by their first byte; a bucket's hash is the SHA-256 of its leaves in ascending order; the digest is the
 * SHA-256 of the hashes of the buckets that are not empty, in order. So it depends on what the records say and on
 * nothing else, and a change costs one bucket.
 */
export class DigestSet {
  readonly #buckets: (Bucket | undefined)[] = new Array(BUCKETS).fill(undefined);
  #digest: string | undefined;

  add(address: Address, fields: unknown): void {
    const leaf = leafOf(address, fields);
    const index = leaf.charCodeAt(0);
    let bucket = this.#buckets[index];
    if (!bucket) {
      bucket = new Bucket();
      this.#buckets[index] = bucket;
    }
    bucket.add(leaf);
    this.#digest = undefined;
  }

  /** Takes out a record that `add` put in with equal fields. */
  remove(address: Address, fields: unknown): void {
    const leaf = leafOf(address, fields);
    const index = leaf.charCodeAt(0);
    const bucket = this.#buckets[index];
    if (!bucket?.remove(leaf)) throw new Error(`The digest holds no such record: ${address}`);
    if (bucket.size === 0) this.#buckets[index] = undefined;
    this.#digest = undefined;
  }

  /** 64 hex digits. */
  hex(): string {
    const steps = this.hexInSteps();
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
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
  return hash('sha256', `${address}\n${canonicalJson(fields)}`, 'binary');
}

/** The leaves of one bucket side by side, 32 bytes each, in no order. */
class Bucket {
  size = 0;
  #leaves = Buffer.alloc(4 * LEAF_BYTES);
  #hash: Buffer | undefined;

  add(leaf: string): void {
    const end = this.size * LEAF_BYTES;
    if (end === this.#leaves.length) this.#resize(end * 2);
    this.#leaves.write(leaf, end, LEAF_BYTES, 'binary');
    this.size += 1;
    this.#hash = undefined;
  }

  /** Whether the leaf was there. The last leaf takes its place. */
  remove(leaf: string): boolean {
    const place = this.#find(leaf);
    if (place < 0) return false;
    this.size -= 1;
    const end = this.size * LEAF_BYTES;
    this.#leaves.copy(this.#leaves, place, end, end + LEAF_BYTES);
    if (this.#leaves.length > 8 * LEAF_BYTES && end < this.#leaves.length / 4) this.#resize(this.#leaves.length / 2);
    this.#hash = undefined;
    return true;
  }

  hash(): Buffer {
    if (!this.#hash) {
      const text = this.#leaves.toString('binary', 0, this.size * LEAF_BYTES);
      const leaves: string[] = [];
      for (let start = 0; start < text.length; start += LEAF_BYTES) leaves.push(text.slice(start, start + LEAF_BYTES));
      leaves.sort();
      this.#hash = createHash('sha256').update(leaves.join(''), 'binary').digest();
    }
    return this.#hash;
  }

  /** The offset of the leaf, or -1; a match across two leaves is passed over. */
  #find(leaf: string): number {
    const used = this.#leaves.subarray(0, this.size * LEAF_BYTES);
    let place = used.indexOf(leaf, 0, 'binary');
    while (place > 0 && place % LEAF_BYTES !== 0) place = used.indexOf(leaf, place + 1, 'binary');
    return place;
  }

  #resize(bytes: number): void {
    const resized = Buffer.alloc(bytes);
    this.#leaves.copy(resized, 0, 0, this.size * LEAF_BYTES);
    this.#leaves = resized;
  }
}

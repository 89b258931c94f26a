import { Buffer } from 'node:buffer';
import { kindRank } from '../records/kinds.js';
import { addressOf } from '../records/registry.js';
import { decodeRecord } from './record-text.js';
import type { ByteSource } from './types.js';
import { objectOf } from './untrusted.js';

const LINE_FEED = 0x0a;
const BLOCK_BYTES = 1 << 16;
/** Below this, what two blocks share is not looked for any further: the lines are compared one by one. */
const SHARED_BYTES_MIN = 1 << 10;
const END = '\n]}\n]}\n';

/** The position of a record in the order of a bundle. */
export interface RecordPlace {
  rank: number;
  address: string;
}

/**
 * The lines of records in the `bundle.json` of one tenant, as `encodeBundle` writes them, one after the other. Throws
 * `SyntaxError` where the text is another one.
 */
export class BundleLines {
  readonly head: Record<string, unknown>;
  readonly tenant: Record<string, unknown>;
  readonly #end: number;
  #position = 0;
  #block: Buffer = Buffer.alloc(0);
  /** The line before the next one; empty before the first. */
  #previous: Buffer = Buffer.alloc(0);

  constructor(private readonly bytes: ByteSource) {
    this.#end = bytes.length - END.length + 1;
    if (bytes.subarray(this.#end - 1, bytes.length).toString() !== END)
      throw new SyntaxError('The bundle has another end.');
    this.head = this.#opening('"tenants":[', 'The bundle');
    this.tenant = this.#opening('"records":[', 'A tenant');
    this.#previous = Buffer.alloc(0);
  }

  /** The record of the next line as text; undefined after the last. */
  get text(): string | undefined {
    if (this.#position >= this.#end) return undefined;
    return textOf(this.#rest().subarray(0, this.#lineBytes()));
  }

  /** The place of the record in the line before; undefined before the first. */
  get previous(): RecordPlace | undefined {
    return this.#previous.length === 0 ? undefined : placeOf(textOf(this.#previous));
  }

  /** Goes on behind the next line. */
  skip(): void {
    this.#advance(this.#lineBytes());
  }

  /** Goes on, in both, behind lines that they have alike; not always behind all of these. Returns whether it did. */
  skipShared(other: BundleLines): boolean {
    const [mine, its] = [this.#rest(), other.#rest()];
    for (let size = Math.min(mine.length, its.length); size >= SHARED_BYTES_MIN; size >>= 1) {
      if (mine.compare(its, 0, size, 0, size) !== 0) continue;
      const shared = mine.lastIndexOf(LINE_FEED, size - 1) + 1;
      if (shared === 0) return false;
      this.#advance(shared);
      other.#advance(shared);
      return true;
    }
    return false;
  }

  #opening(last: string, what: string): Record<string, unknown> {
    const line = this.#rest().toString('utf8', 0, this.#lineBytes() - 1);
    if (!line.endsWith(last)) throw new SyntaxError(`${what} begins in another way.`);
    this.skip();
    return objectOf(JSON.parse(`${line}]}`), what);
  }

  /** Returns all that has been read from here on: at least one line. */
  #rest(): Buffer {
    if (this.#block.length < SHARED_BYTES_MIN || this.#block.indexOf(LINE_FEED) < 0) {
      for (let size = BLOCK_BYTES; ; size *= 2) {
        const end = Math.min(this.#position + size, this.#end);
        this.#block = this.bytes.subarray(this.#position, end);
        if (end === this.#end || this.#block.includes(LINE_FEED)) break;
      }
    }
    return this.#block;
  }

  #lineBytes(): number {
    return this.#rest().indexOf(LINE_FEED) + 1;
  }

  #advance(bytes: number): void {
    const start = bytes < 2 ? 0 : this.#block.lastIndexOf(LINE_FEED, bytes - 2) + 1;
    this.#previous = this.#block.subarray(start, bytes);
    this.#block = this.#block.subarray(bytes);
    this.#position += bytes;
  }
}

/** Throws `invalid_bundle` where the text is no record. */
export function placeOf(text: string): RecordPlace {
  const { kind, fields } = decodeRecord(JSON.parse(text), () => 'A record');
  return { rank: kindRank(kind), address: addressOf(kind, fields) };
}

export function isBefore(one: RecordPlace, other: RecordPlace): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.address < other.address);
}

/** Without its line feed, and the comma behind all records but the last. */
function textOf(line: Buffer): string {
  const text = line.toString('utf8', 0, line.length - 1);
  return text.endsWith(',') ? text.slice(0, -1) : text;
}

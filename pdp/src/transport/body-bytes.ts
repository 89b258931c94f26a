import { Buffer } from 'node:buffer';
import { ProblemError } from '@authz-service/core/problem';

const KIB = 1024;
export const MIB = 1024 * KIB;

const NOTHING: Buffer = Buffer.alloc(0);

/** The bytes of a body while they come, in one block: kept as they are, pieces of one byte would take hundreds each. */
export class BodyBytes {
  #bytes = NOTHING;
  #size = 0;

  /** Beyond `limit` bytes, they are counted and not kept. */
  constructor(private readonly limit: number) {}

  /** How many have come. */
  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    const before = this.#size;
    this.#size += piece.length;
    if (this.#size > this.limit) this.#bytes = NOTHING;
    else if (before === 0) this.#bytes = piece;
    else this.#append(piece, before);
  }

  /** Those that have come; no longer kept here. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#size);
    this.#bytes = NOTHING;
    return bytes;
  }

  #append(piece: Buffer, before: number): void {
    if (this.#size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * this.#size, this.limit));
      this.#bytes.copy(larger, 0, 0, before);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, before);
  }
}

/** The refusal of a body with more than `limit` bytes. */
export function tooLarge(limit: number): ProblemError {
  const text = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ProblemError(
    'payload_too_large',
    `The body is larger than ${text}, the most that is taken here: send less.`,
  );
}

import { Buffer } from 'node:buffer';
import { ProblemError } from '@authz-service/core/problem';

const KIB = 1024;
export const MIB = 1024 * KIB;

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Collects the bytes of a body in one block: kept as they arrive, pieces of one byte would take hundreds of bytes each.
 */
export class BodyBytes {
  #bytes = NOTHING;
  #size = 0;

  /** Bytes beyond `limit` are counted but not kept. */
  constructor(private readonly limit: number) {}

  /** The number of bytes that have arrived. */
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

  /** The collected bytes, which are no longer kept here. */
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
  return new ProblemError('payload_too_large', `The body is larger than ${text}, the maximum here: send less.`);
}

import { Buffer } from 'node:buffer';

const CHUNK_BYTES = 1 << 20;
/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT = 3;

/** Collects text as UTF-8 in chunks, without building long strings and with little garbage. */
export class TextWriter {
  readonly #chunks: Buffer[] = [];
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #filled = 0;

  write(text: string): void {
    if (text.length * BYTES_PER_UNIT > this.#chunk.length - this.#filled) this.#nextChunk(text);
    this.#filled += this.#chunk.write(text, this.#filled);
  }

  /** Everything that was written, as chunks in order. */
  finish(): Buffer[] {
    this.#chunks.push(this.#chunk.subarray(0, this.#filled));
    return this.#chunks;
  }

  #nextChunk(text: string): void {
    this.#chunks.push(this.#chunk.subarray(0, this.#filled));
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, text.length * BYTES_PER_UNIT));
    this.#filled = 0;
  }
}

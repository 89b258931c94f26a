import { Buffer } from 'node:buffer';
import { Header } from 'tar/header';
import { ProblemError } from '../problem.js';
import { BUNDLE_ENTRY, TAR_BLOCK } from './format.js';

/**
 * Reads a bundle's tar archive as it comes, in pieces of any size. It takes exactly one entry, the plain file
 * `bundle.json`, and refuses links, extended headers, other names and a second entry.
 */
export class TarReader {
  readonly #limit: number;
  #received = 0;
  #header = Buffer.alloc(TAR_BLOCK);
  #headerFilled = 0;
  #body: Buffer | undefined;
  #bodyFilled = 0;
  #padding = 0;
  #emptyBlocks = 0;

  /** `limit`: the most bytes of the whole unpacked archive. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#received > this.#limit) throw tooLarge(this.#limit);
    let rest = chunk;
    while (rest.length > 0) rest = rest.subarray(this.#take(rest));
  }

  /** The entry's bytes, once all has been pushed. */
  finish(): Buffer {
    if (!this.#body) throw invalid(`The archive holds no ${BUNDLE_ENTRY}.`);
    if (this.#bodyFilled < this.#body.length || this.#headerFilled > 0 || this.#emptyBlocks < 2) {
      throw invalid('The archive is cut off: its end mark is missing.');
    }
    return this.#body;
  }

  /** Takes some bytes from the front and says how many. */
  #take(chunk: Buffer): number {
    if (this.#body && this.#bodyFilled < this.#body.length) {
      const taken = chunk.copy(this.#body, this.#bodyFilled);
      this.#bodyFilled += taken;
      return taken;
    }
    if (this.#padding > 0) {
      const taken = Math.min(this.#padding, chunk.length);
      this.#padding -= taken;
      return taken;
    }
    const taken = chunk.copy(this.#header, this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === TAR_BLOCK) {
      this.#headerFilled = 0;
      this.#startEntry();
    }
    return taken;
  }

  #startEntry(): void {
    if (this.#header.every((byte) => byte === 0)) {
      this.#emptyBlocks += 1;
      return;
    }
    if (this.#emptyBlocks > 0) throw invalid('The archive goes on after its end.');
    const header = new Header(this.#header);
    if (!header.cksumValid) throw invalid('A header of the archive has a wrong checksum.');
    const name = JSON.stringify((header.path ?? '').slice(0, 100));
    if (header.type !== 'File' || header.path !== BUNDLE_ENTRY) {
      throw invalid(
        `The archive holds the entry ${name} (${header.type}); only the file "${BUNDLE_ENTRY}" is allowed.`,
      );
    }
    if (this.#body) throw invalid(`The archive holds ${name} twice.`);
    const size = header.size;
    if (size === undefined || !Number.isSafeInteger(size)) throw invalid(`The size of ${name} cannot be read.`);
    if (size > this.#limit) throw tooLarge(this.#limit);
    // Reserved at once, so that the bytes are held once; the system backs only what has been written.
    this.#body = Buffer.allocUnsafeSlow(size);
    this.#padding = (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}

function tooLarge(limit: number): ProblemError {
  return invalid(`The archive unpacks to more than ${limit} bytes, the most that is read.`);
}

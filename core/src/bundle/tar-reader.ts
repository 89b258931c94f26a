import { Buffer } from 'node:buffer';
import { Header } from 'tar/header';
import { ProblemError } from '../problem.js';
import { type ArchiveEntries, TAR_BLOCK } from './format.js';

/** A signature names a revision of each tenant: this is room for tens of thousands. */
const SIGNATURE_BYTES_MAX = 16 * 1024 * 1024;

/** Writers fill up the tar record with the end mark; none is known to write tar records of more than a mebibyte. */
const EMPTY_BLOCKS_MAX = 2048;

/**
 * Reads a tar archive as it arrives, in pieces of any size. It accepts the two entries as plain files, each once, and
 * refuses links, extended headers and other names. The text is passed on, the signature kept.
 */
export class TarReader {
  readonly #entries: ArchiveEntries;
  readonly #limit: number;
  #received = 0;
  #header = Buffer.alloc(TAR_BLOCK);
  #headerFilled = 0;
  readonly #seen = new Set<string>();
  /** The entry whose body is being read, and the number of its bytes that are still missing. */
  #entry = '';
  #left = 0;
  readonly #signature: Buffer[] = [];
  #padding = 0;
  #emptyBlocks = 0;

  /** `limit` is the largest size of the whole unpacked archive, in bytes. */
  constructor(entries: ArchiveEntries, limit: number) {
    this.#entries = entries;
    this.#limit = limit;
  }

  /** Returns the pieces of the text in the chunk. */
  push(chunk: Buffer): Buffer[] {
    this.#received += chunk.length;
    if (this.#received > this.#limit) throw tooLarge(this.#limit);
    const text: Buffer[] = [];
    for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(this.#take(rest, text));
    return text;
  }

  /** The signature, if there is one, once everything has been pushed. */
  finish(): string | undefined {
    const { text, signature } = this.#entries;
    if (!this.#seen.has(text)) throw invalid(`The archive contains no ${text}.`);
    if (this.#left > 0 || this.#headerFilled > 0 || this.#emptyBlocks < 2) {
      throw invalid('The archive is incomplete: its end mark is missing.');
    }
    return this.#seen.has(signature) ? Buffer.concat(this.#signature).toString('latin1') : undefined;
  }

  /** Takes some bytes from the front and returns their number. */
  #take(chunk: Buffer, text: Buffer[]): number {
    if (this.#left > 0) {
      const piece = chunk.subarray(0, this.#left);
      (this.#entry === this.#entries.text ? text : this.#signature).push(piece);
      this.#left -= piece.length;
      return piece.length;
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
      if (this.#emptyBlocks > EMPTY_BLOCKS_MAX) throw invalid('There is data after the end of the archive.');
      return;
    }
    if (this.#emptyBlocks > 0) throw invalid('There is data after the end of the archive.');
    const header = new Header(this.#header);
    if (!header.cksumValid) throw invalid('A header of the archive has a wrong checksum.');
    const name = JSON.stringify((header.path ?? '').slice(0, 100));
    const { path, size } = header;
    const { text, signature } = this.#entries;
    if (header.type !== 'File' || (path !== text && path !== signature)) {
      throw invalid(
        `The archive contains the entry ${name} (${header.type}); only the files "${text}" and "${signature}" are allowed.`,
      );
    }
    if (this.#seen.has(path)) throw invalid(`The archive contains ${name} twice.`);
    if (size === undefined || !Number.isSafeInteger(size)) throw invalid(`The size of ${name} cannot be read.`);
    if (size > this.#limit) throw tooLarge(this.#limit);
    if (path === signature && size > SIGNATURE_BYTES_MAX) throw invalid(`The signature has ${size} bytes.`);
    this.#seen.add(path);
    this.#entry = path;
    this.#left = size;
    this.#padding = (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}

function tooLarge(limit: number): ProblemError {
  return invalid(`The archive unpacks to more than ${limit} bytes, the most that is read.`);
}

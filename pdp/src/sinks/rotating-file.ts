import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isTorn, lastLineOf } from './last-line.js';
import type { LineStore } from './line-store.js';

/** Appends lines to a file; a full one is renamed to FILE.1, that to FILE.2, and the oldest goes. */
export class RotatingFile implements LineStore {
  onRoom?: () => void;
  readonly queuedBytes = 0;
  #file: number | undefined;
  #size = 0;

  constructor(
    private readonly path: string,
    private readonly bytesMax: number,
    private readonly filesMax: number,
  ) {
    this.#open();
  }

  /** The last line of the file, with its line feed if it is whole; undefined if there is none. */
  get lastLine(): string | undefined {
    return lastLineOf(this.path).toString() || undefined;
  }

  write(line: string): boolean {
    const bytes = Buffer.from(line);
    try {
      if (this.#size > 0 && this.#size + bytes.length > this.bytesMax) this.#rotate();
      const file = this.#file ?? this.#open();
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      } catch (error) {
        ftruncateSync(file, this.#size);
        throw error;
      }
      this.#size += bytes.length;
      return true;
    } catch {
      return false;
    }
  }

  /** Nobody reads the file away: it has room as soon as the disk has. */
  room(): undefined {
    return undefined;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    mkdirSync(dirname(this.path), { recursive: true });
    this.#file = openSync(this.path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
    const last = lastLineOf(this.path);
    if (isTorn(last)) {
      this.#size -= last.length;
      ftruncateSync(this.#file, this.#size);
    }
    return this.#file;
  }

  #rotate(): void {
    this.close();
    for (let number = this.filesMax - 1; number >= 1; number--) {
      const from = number === 1 ? this.path : `${this.path}.${number - 1}`;
      try {
        renameSync(from, `${this.path}.${number}`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    // Should opening fail now, the next line opens again, and rotates no more.
    this.#size = 0;
    this.#open();
  }
}

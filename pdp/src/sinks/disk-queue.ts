import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isTorn, lastLineOf } from './last-line.js';
import type { LineStore } from './line-store.js';

/** A place in the queue: a file and the bytes of it that lie before. */
interface Place {
  segment: number;
  offset: number;
}

/** Lines from the head of the queue. */
export interface Batch {
  /** Without their line feeds. */
  lines: string[];
  end: Place;
}

const SEGMENT = /^(\d{12})\.jsonl$/;
const CURSOR = /^(\d{12}) (\d{15})\n/;
const SEGMENTS = 8;
const READ_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/**
 * A queue of lines on disk with a bound. A line is with the operating system before `write` returns, so that it survives the
 * end of the process, though not a loss of power. What is delivered is told by `commit`; a process that ends between both
 * delivers again. One process at a time uses the folder.
 */
export class DiskQueue implements LineStore {
  onRoom?: () => void;
  onLine?: () => void;
  /** The sizes of the files by their numbers, the oldest first; lines are added to the last. */
  readonly #sizes = new Map<number, number>();
  #tail = 1;
  #head: Place;
  #file: number;
  readonly #cursor: number;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly folder: string,
    private readonly bytesMax: number,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const numbers = readdirSync(folder).flatMap((name) => Number(SEGMENT.exec(name)?.[1] ?? []) || []);
    for (const number of numbers.sort((left, right) => left - right)) {
      this.#sizes.set(number, statSync(this.#path(number)).size);
    }
    this.#tail = numbers.at(-1) ?? 1;
    this.#file = openSync(this.#path(this.#tail), numbers.length === 0 ? 'wx' : 'r+', 0o600);
    this.#sizes.set(this.#tail, this.#cutTornLine(this.#tail));
    this.#cursor = openSync(join(folder, 'cursor'), constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#head = this.#readCursor();
    this.#dropDelivered();
  }

  get queuedBytes(): number {
    let bytes = -this.#head.offset;
    for (const size of this.#sizes.values()) bytes += size;
    return bytes;
  }

  /** The last line ever written, delivered or not; undefined if none is there. */
  get lastLine(): string | undefined {
    for (const number of [...this.#sizes.keys()].reverse()) {
      const line = lastLineOf(this.#path(number));
      if (line.length > 0) return line.toString('utf8', 0, line.length - 1);
    }
    return undefined;
  }

  write(line: string, beyondBound = false): boolean {
    const bytes = Buffer.from(line);
    return (beyondBound || this.queuedBytes + bytes.length <= this.bytesMax) && this.#add(bytes);
  }

  room(): Promise<void> | undefined {
    if (this.queuedBytes < this.bytesMax) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Reads so many lines of the oldest that are not delivered; undefined if there are none. */
  async read(linesMax: number): Promise<Batch | undefined> {
    const { segment, offset } = this.#head;
    const left = (this.#sizes.get(segment) ?? 0) - offset;
    if (left <= 0) return undefined;
    const file = await open(this.#path(segment), 'r');
    try {
      for (let bytes = Math.min(READ_BYTES, left); ; bytes = Math.min(2 * bytes, left)) {
        const buffer = Buffer.alloc(bytes);
        await file.read(buffer, 0, bytes, offset);
        const whole = buffer.subarray(0, buffer.lastIndexOf(LINE_FEED) + 1);
        if (whole.length > 0) return batchOf(whole, linesMax, { segment, offset });
        // Every file ends with a line feed, unless somebody else has written to it.
        if (bytes === left) return { lines: [], end: { segment, offset: offset + left } };
      }
    } finally {
      await file.close();
    }
  }

  /** Takes out what was delivered. */
  commit({ end }: Batch): void {
    this.#head = end;
    this.#dropDelivered();
    writeSync(this.#cursor, cursorText(this.#head), 0);
    if (this.queuedBytes >= this.bytesMax) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.onRoom?.();
  }

  close(): void {
    closeSync(this.#file);
    closeSync(this.#cursor);
  }

  #add(bytes: Buffer): boolean {
    try {
      let size = this.#sizes.get(this.#tail) ?? 0;
      if (size > 0 && size + bytes.length > this.bytesMax / SEGMENTS) {
        this.#startSegment();
        size = 0;
      }
      try {
        for (let done = 0; done < bytes.length; ) {
          done += writeSync(this.#file, bytes, done, bytes.length - done, size + done);
        }
      } catch (error) {
        ftruncateSync(this.#file, size);
        throw error;
      }
      this.#sizes.set(this.#tail, size + bytes.length);
    } catch {
      // The disk is full, or cannot be written: there is no room.
      return false;
    }
    this.onLine?.();
    return true;
  }

  #startSegment(): void {
    const file = openSync(this.#path(this.#tail + 1), 'wx', 0o600);
    closeSync(this.#file);
    this.#file = file;
    this.#tail += 1;
    this.#sizes.set(this.#tail, 0);
    this.#dropDelivered();
  }

  /** Removes files that are delivered as a whole, except the last. */
  #dropDelivered(): void {
    for (const [number, size] of this.#sizes) {
      if (number === this.#tail || number > this.#head.segment) break;
      if (number === this.#head.segment && this.#head.offset < size) break;
      rmSync(this.#path(number), { force: true });
      this.#sizes.delete(number);
      // Somebody may have removed files: the next one is not always the next number.
      const [oldest = number + 1] = this.#sizes.keys();
      this.#head = { segment: oldest, offset: 0 };
    }
  }

  /** Removes the line at the end that a process did not write as a whole. Returns the size. */
  #cutTornLine(number: number): number {
    const { size } = statSync(this.#path(number));
    const last = lastLineOf(this.#path(number));
    if (!isTorn(last)) return size;
    ftruncateSync(this.#file, size - last.length);
    return size - last.length;
  }

  #readCursor(): Place {
    const [oldest = 1] = this.#sizes.keys();
    const [, segment = Number.NaN, offset = 0] = (CURSOR.exec(readFileSync(this.#cursor, 'utf8')) ?? []).map(Number);
    const size = this.#sizes.get(segment);
    return size === undefined || offset > size ? { segment: oldest, offset: 0 } : { segment, offset };
  }

  #path(number: number): string {
    return join(this.folder, `${String(number).padStart(12, '0')}.jsonl`);
  }
}

/** A text of one length, so that it is replaced in one step. */
function cursorText({ segment, offset }: Place): string {
  return `${String(segment).padStart(12, '0')} ${String(offset).padStart(15, '0')}\n`;
}

function batchOf(whole: Buffer, linesMax: number, { segment, offset }: Place): Batch {
  const lines: string[] = [];
  let at = 0;
  while (lines.length < linesMax && at < whole.length) {
    const end = whole.indexOf(LINE_FEED, at);
    lines.push(whole.toString('utf8', at, end));
    at = end + 1;
  }
  return { lines, end: { segment, offset: offset + at } };
}

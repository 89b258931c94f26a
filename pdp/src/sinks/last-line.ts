import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** Reads the last line of a file with its line feed, if it has one. Reads from the end: files may be larger than memory. */
export function lastLineOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    for (let bytes = Math.min(CHUNK_BYTES, size); ; bytes = Math.min(2 * bytes, size)) {
      const tail = Buffer.alloc(bytes);
      readSync(file, tail, 0, bytes, size - bytes);
      const start = bytes < 2 ? 0 : tail.lastIndexOf(LINE_FEED, bytes - 2) + 1;
      if (start > 0 || bytes === size) return tail.subarray(start);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether a process was killed before it had written all of a line. */
export function isTorn(line: Buffer): boolean {
  return line.length > 0 && line.at(-1) !== LINE_FEED;
}

import type { Writable } from 'node:stream';

/** The number of characters that a slow reader may leave unread. */
const UNREAD_MAX = 8 * 1024 * 1024;

/**
 * Writes lines to a stream that may be read slowly or not at all. Neither may stop decisions or fill the memory: lines
 * beyond the limit, or after the reader has gone, are dropped and counted.
 */
export class LineWriter {
  /** The lines dropped since the last call of `takeDropped`. */
  #dropped = 0;
  #broken = false;

  constructor(
    private readonly stream: Writable,
    private readonly unreadMax = UNREAD_MAX,
  ) {
    stream.on('error', () => {
      this.#broken = true;
    });
  }

  /** Takes a line with its line feed; returns false if it was dropped. */
  write(line: string): boolean {
    if (this.#broken || this.stream.writableLength + line.length > this.unreadMax) {
      this.#dropped++;
      return false;
    }
    this.stream.write(line);
    return true;
  }

  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Waits until the reader has received everything, but not longer than the given time. */
  async drained(deadlineMs: number): Promise<void> {
    if (this.#broken || this.stream.writableLength === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      this.stream.write('', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

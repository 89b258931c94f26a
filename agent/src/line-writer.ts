import type { Writable } from 'node:stream';

/** How much a slow reader may leave unread, in characters. */
const UNREAD_MAX = 8 * 1024 * 1024;

/**
 * Writes lines to a stream that may be read slowly or not at all. Neither must stop decisions or fill the memory:
 * what exceeds the bound, or comes after the reader has gone, is dropped and counted.
 */
export class LineWriter {
  /** Lines dropped since the last call of `takeDropped`. */
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

  /** Takes the line, its line feed included; false when it was dropped. */
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

  /** Waits until everything is with the reader, at most so long. */
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

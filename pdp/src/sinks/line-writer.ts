import type { Writable } from 'node:stream';
import type { LineStore } from './line-store.js';

/** The number of characters that a slow reader may leave unread. */
const UNREAD_MAX = 8 * 1024 * 1024;

/**
 * Writes lines to a stream that may be read slowly or not at all. Neither may stop decisions or fill the memory: lines
 * beyond the limit, or after the reader has gone, are not taken.
 */
export class LineWriter implements LineStore {
  onRoom?: () => void;
  #broken = false;

  constructor(
    private readonly stream: Writable,
    private readonly unreadMax = UNREAD_MAX,
  ) {
    stream.on('error', () => {
      this.#broken = true;
    });
    stream.on('drain', () => this.onRoom?.());
  }

  get queuedBytes(): number {
    return this.stream.writableLength;
  }

  write(line: string, beyondBound = false): boolean {
    if (this.#broken) return false;
    if (!beyondBound && this.stream.writableLength + line.length > this.unreadMax) return false;
    this.stream.write(line);
    return true;
  }

  room(): Promise<void> | undefined {
    if (this.#broken || this.stream.writableLength < this.unreadMax / 2) return undefined;
    return new Promise((resolve) => this.stream.once('drain', resolve));
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

import type { Socket } from 'node:net';
import type { StorageFault } from '../storage-fault.js';
import { postgresFaultOf, SILENT } from './postgres-faults.js';

/** After so long without an answer, nothing is asked of the database any more but whether it answers. */
const SILENT_MS = 5000;
const AGAIN_MS = 1000;

/**
 * Finds out whether the database answers, by a question that is asked again and again over a connection of its own. While it
 * does not, connections are given up, so that whoever waits for an answer hears of it: a statement may well take a minute,
 * but not while the database is silent to everybody.
 */
export class Pulse {
  /** When the first question was asked that has no answer yet. */
  #askedAt: number | undefined;
  #failure: StorageFault | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #connections = new Set<Socket>();

  /** `clock` returns monotonic milliseconds. */
  constructor(private readonly clock: () => number) {}

  /** Registers a connection that is given up when the database is silent. */
  watch(connection: Socket): void {
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
  }

  async ask<T>(question: () => Promise<T>): Promise<T> {
    this.#askedAt ??= this.clock();
    this.#timer ??= this.#giveUpIn(SILENT_MS);
    try {
      const answer = await question();
      this.#answered();
      return answer;
    } catch (error) {
      this.#failure = postgresFaultOf(error);
      throw error;
    }
  }

  /** The reason why nothing should be asked now. */
  get fault(): StorageFault | undefined {
    if (this.#askedAt === undefined || this.clock() - this.#askedAt < SILENT_MS) return undefined;
    const { what, remedy } = this.#failure ?? SILENT;
    return { what, remedy, passing: true };
  }

  end(): void {
    this.#answered();
  }

  #answered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#askedAt = undefined;
    this.#failure = undefined;
  }

  #giveUpIn(ms: number): NodeJS.Timeout {
    // Where it was this process that stood still, the answer has come already, and is read before the next turn.
    return setTimeout(() => setImmediate(() => this.#giveUp()), ms).unref();
  }

  #giveUp(): void {
    if (this.#askedAt === undefined) return;
    // Timers may end a fraction of a millisecond early.
    const left = this.#askedAt + SILENT_MS - this.clock();
    if (left <= 0) for (const one of this.#connections) one.destroy(new Error('the database was silent for too long'));
    this.#timer = this.#giveUpIn(left <= 0 ? AGAIN_MS : Math.ceil(left));
  }
}

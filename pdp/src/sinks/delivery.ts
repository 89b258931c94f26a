import type { DiskQueue } from './disk-queue.js';
import type { SinkLog } from './sink-log.js';
import { AskedToWait, RefusedLines, type Target } from './target.js';

const LINES_MAX = 1000;
/** Lines that come within this time are sent together. */
const LINGER_MS = 200;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };

interface Options {
  queue: DiskQueue;
  target: Target;
  /** How the sink is called in the log. */
  name: string;
  log: SinkLog;
  /** Called with a line that the receiver will never take, before it leaves the queue. */
  onRefused(line: string, error: Error): void;
}

/** Sends what is in a queue, in order, each batch again until it has arrived. */
export class Delivery {
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #failures = 0;
  #backoffMs = 0;
  #linesMax = LINES_MAX;
  #isClosing = false;
  /** Ends the wait that is under way. */
  #interrupt = () => {};

  constructor(private readonly options: Options) {
    this.#ended = this.#run();
  }

  /** Sends what is there, for so long at most; the rest stays in the queue. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true;
    this.#interrupt();
    const timer = setTimeout(() => this.#stop.abort(), deadlineMs);
    await this.#ended;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    const { queue } = this.options;
    for (;;) {
      const sent = await this.#sendBatch();
      if (sent === 'more') continue;
      if (this.#isClosing && (sent === 'failed' || queue.queuedBytes === 0)) return;
      if (sent === 'nothing') {
        await this.#wait((ended) => {
          queue.onLine = ended;
          if (queue.queuedBytes > 0) ended();
        });
      }
      const ms = sent === 'failed' ? this.#backoffMs : LINGER_MS;
      await this.#wait((ended) => {
        const timer = setTimeout(ended, ms);
        return () => clearTimeout(timer);
      });
    }
  }

  /** Waits until what it starts calls `ended`, or the sink is closed. */
  async #wait(start: (ended: () => void) => (() => void) | undefined): Promise<void> {
    let end: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      this.#interrupt = resolve;
      end = start(resolve);
      if (this.#isClosing) resolve();
    });
    end?.();
  }

  async #sendBatch(): Promise<'nothing' | 'all' | 'more' | 'failed'> {
    const { queue, target, onRefused } = this.options;
    try {
      const batch = await queue.read(this.#linesMax);
      if (batch === undefined) return 'nothing';
      const { lines } = batch;
      try {
        if (lines.length > 0) await target.send(lines, this.#stop.signal);
      } catch (error) {
        if (!(error instanceof RefusedLines)) throw error;
        if (lines.length > 1) {
          // The line that is to blame is found by halving.
          this.#linesMax = Math.ceil(lines.length / 2);
          return 'more';
        }
        onRefused(lines[0] ?? '', error);
      }
      queue.commit(batch);
      this.#succeeded();
      this.#linesMax = Math.min(LINES_MAX, this.#linesMax * 2);
      return queue.queuedBytes > 0 ? 'more' : 'all';
    } catch (error) {
      this.#failed(error as Error);
      return 'failed';
    }
  }

  #succeeded(): void {
    const { log, name } = this.options;
    if (this.#failures > 0)
      log.info({ sink: name, failures: this.#failures }, 'the receiver of a log takes lines again');
    this.#failures = 0;
  }

  #failed(error: Error): void {
    const { log, name } = this.options;
    this.#failures += 1;
    if (this.#failures === 1) {
      log.warn({ sink: name, error: error.message }, 'the receiver of a log takes no lines: they wait in the queue');
    }
    const growing = Math.min(BACKOFF.maxMs, BACKOFF.firstMs * 2 ** Math.min(this.#failures - 1, 10));
    const asked = error instanceof AskedToWait ? Math.min(error.waitMs, BACKOFF.maxMs) : 0;
    this.#backoffMs = Math.max(asked, growing * (0.5 + Math.random() / 2));
  }
}

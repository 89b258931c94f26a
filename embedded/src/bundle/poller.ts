import { ProblemError } from '@authz-service/core/problem';
import { type BundleState, moment } from './bundle-state.js';
import { PollSchedule } from './poll-schedule.js';
import type { Polled } from './polled.js';
import type { SyncLog } from './sync-log.js';

/** While the clock of the cloud may be wrong, it is asked this often. */
const LEAD_POLL_MS = 1000;

export interface PollerOptions {
  pollIntervalMs: number;
  /** Whether files are asked for, which nobody holds back. */
  isStatic?: boolean;
  /** Asks the cloud once; the cloud may hold its answer for the given number of seconds. */
  poll(waitSeconds: number, stop: AbortSignal): Promise<Polled>;
}

/** Polls the cloud until it is stopped, one poll at a time. */
export class Poller {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    private readonly options: PollerOptions,
    private readonly state: BundleState,
    private readonly log: SyncLog,
  ) {}

  /** Starts and polls at once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends the running poll and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const schedule = new PollSchedule(this.options.pollIntervalMs, Math.random, this.options.isStatic);
    while (!signal.aborted) {
      const askedAt = moment();
      const { leads } = this.state.clock;
      const waitSeconds = leads ? 0 : schedule.waitSeconds;
      const elapsed = () => performance.now() - askedAt.monotonicMs;
      let restMs: number;
      try {
        const polled = await this.options.poll(waitSeconds, signal);
        restMs = schedule.succeeded({ waitSeconds, elapsedMs: elapsed(), ...polled });
        this.log.succeeded(polled, askedAt);
        if (this.state.clock.leads) restMs = Math.min(this.options.pollIntervalMs, leads ? LEAD_POLL_MS : restMs);
      } catch (error) {
        const away = error instanceof ProblemError && (error.code === 'network' || error.code === 'timeout');
        restMs = schedule.failed({ elapsedMs: elapsed(), away });
        if (!signal.aborted) this.log.failed(error);
      }
      this.state.syncing.longPoll = schedule.holds;
      await pause(restMs, signal);
    }
  }
}

/** Waits until the time is over or the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return new Promise(setImmediate);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

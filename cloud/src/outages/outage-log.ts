import type { Logger } from 'pino';

const MINUTE_MS = 60_000;
/** The time without a failure after which an outage has ended: what is tried once a minute must not seem to end each time. */
const QUIET_MS = 2 * MINUTE_MS;

interface Outage {
  message: string;
  /** How often it failed since the last line, and in all. */
  recent: number;
  total: number;
  /** When it failed last, in monotonic milliseconds. */
  lastAt: number;
  since: string;
}

/**
 * Logs what may fail again and again, at each request or each second: that it begins, with its cause; each minute how often it
 * failed meanwhile; and, after two minutes without a failure, that it has ended.
 */
export class OutageLog {
  readonly #outages = new Map<string, Outage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Pick<Logger, 'info' | 'warn'>) {}

  /** `key` tells outages apart; by default, the message does. `fields` are those of the first line. */
  failed(message: string, fields: object, key = message): void {
    const known = this.#outages.get(key);
    if (known !== undefined) {
      known.recent += 1;
      known.total += 1;
      known.lastAt = performance.now();
      return;
    }
    this.#outages.set(key, {
      message,
      recent: 0,
      total: 1,
      lastAt: performance.now(),
      since: new Date().toISOString(),
    });
    this.log.warn(fields, message);
    this.#timer ??= setInterval(() => this.#report(), MINUTE_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #report(): void {
    for (const [key, outage] of this.#outages) {
      const { message, recent, total, since } = outage;
      if (recent > 0) this.log.warn({ failures_in_last_minute: recent, failures: total, since }, message);
      else if (performance.now() - outage.lastAt >= QUIET_MS) {
        this.#outages.delete(key);
        this.log.info({ failures: total, since }, `this has ended: ${message}`);
      }
      outage.recent = 0;
    }
    if (this.#outages.size === 0) this.end();
  }
}

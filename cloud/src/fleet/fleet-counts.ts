import type { OutageLog } from '../outages/outage-log.js';
import type { Store } from '../store/store.js';
import { AGENT_LAGS, type AgentLag } from '../telemetry/metrics.js';
import type { Fleet } from './fleet.js';

/** The time that the database may take to answer: whoever asks for metrics has to be answered soon. */
const PATIENCE_MS = 2000;

/** An agent that is behind for less long is on its way. */
const ON_ITS_WAY_MS = 60_000;

export interface Counts {
  byLag: Record<AgentLag, number>;
  stragglers: number;
}

/** Counts the agents of the database for the metrics. Those who ask at the same time share one answer. */
export class FleetCounts {
  #reading: Promise<Counts | undefined> | undefined;

  constructor(
    private readonly store: Pick<Store, 'agentsByLag' | 'stragglers'>,
    private readonly fleet: Pick<Fleet, 'written'>,
    private readonly outages: OutageLog,
    private readonly now: () => number,
  ) {}

  /** Undefined if the database does not tell. */
  read(): Promise<Counts | undefined> {
    this.#reading ??= inTime(this.#read())
      .catch((err: unknown) => {
        this.outages.failed('the agents cannot be counted', { err });
        return undefined;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #read(): Promise<Counts> {
    await this.fleet.written();
    const now = this.now();
    const byLag = Object.fromEntries(AGENT_LAGS.map((lag) => [lag, 0])) as Record<AgentLag, number>;
    for (const { lag, count } of await this.store.agentsByLag(now)) byLag[labelOf(lag)] += count;
    return { byLag, stragglers: await this.store.stragglers({ before: now - ON_ITS_WAY_MS, now }) };
  }
}

function labelOf(lag: number | null): AgentLag {
  if (lag === null) return 'unknown';
  if (lag <= 1) return lag <= 0 ? '0' : '1';
  return lag <= 10 ? '2-10' : 'more';
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer in time')), PATIENCE_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

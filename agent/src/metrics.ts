import type { AccessPathKind } from '@authz-service/core/access/api/decision';
import { WAIT_OUTCOMES, type WaitOutcome } from '@authz-service/pdp/revision/revision-waits';
import { Counter, Gauge, Registry } from 'prom-client';
import { DecisionMetrics } from './decision-metrics.js';

/** The source of the bundle that made the agent ready. */
export type BundleSource = 'cache' | 'sync';

/** The figures of a sink of the decision log. */
interface LogFigures {
  name: string;
  lostLines: number;
  queuedBytes: number;
}

/** The agent's metrics. Every series exists from the start, with the value 0. */
export class AgentMetrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];

  readonly #decisions = new DecisionMetrics();
  readonly #lastSync = this.#gauge(
    'service_agent_bundle_last_sync_timestamp_seconds',
    'Unix time of the last successful sync; after a start from the cache, of the one that confirmed the cached bundle.',
  );
  readonly #failures = new Counter({
    name: 'service_agent_bundle_sync_failures_total',
    help: 'Failed bundle polls.',
    registers: this.#registers,
  });
  readonly #cacheHit = new Counter({
    name: 'service_agent_bundle_cache_hit',
    help: 'How the agent became ready: from its cache or by a sync.',
    labelNames: ['source'],
    registers: this.#registers,
  });
  readonly #waits = new Counter({
    name: 'service_agent_revision_waits_total',
    help: 'Requests with Service-Min-Revision that were not answered at once, by what became of them.',
    labelNames: ['outcome'],
    registers: this.#registers,
  });
  readonly #refusedOld = new Counter({
    name: 'service_agent_too_old_total',
    help: 'Requests, and evaluations of batches, refused because what is known is older than the agent, the request or the resource type allows.',
    registers: this.#registers,
  });
  readonly #refusedBudgets = this.#gauge(
    'service_agent_refused_budgets',
    'Resource types about which nothing is decided, since their max_age is less than two poll intervals.',
  );
  readonly #epoch = this.#gauge(
    'service_agent_epoch',
    "The number of the cloud's epoch that is served; 0 if the cloud has declared none.",
  );
  readonly #degraded = this.#gauge('service_agent_degraded', '1 while serving stale data because sync fails.');
  readonly #streak = this.#gauge(
    'service_agent_consecutive_sync_failures',
    'Sync failures since the last successful sync.',
  );

  readonly #source = new Gauge({
    name: 'service_agent_bundle_source_info',
    help: 'Where bundles come from: 1 with the kind `cloud` or `static`, which is files at a web server.',
    labelNames: ['kind'],
    registers: this.#registers,
  });

  constructor() {
    this.#gauge('service_agent_up', '1 while the process is alive.').set(1);
    this.#cacheHit.inc({ source: 'cache' }, 0);
    this.#cacheHit.inc({ source: 'sync' }, 0);
    for (const outcome of WAIT_OUTCOMES) this.#waits.inc({ outcome }, 0);
  }

  /** Counts one call of the decision endpoint, or one evaluation of a batch. */
  called(allowed: boolean, path: AccessPathKind): void {
    this.#decisions.called(allowed, path);
  }

  /** Records the duration of one evaluation. */
  evaluated(allowed: boolean, ms: number): void {
    this.#decisions.evaluated(allowed, ms);
  }

  /** The sinks of the decision log, whose figures are read when the metrics are. */
  logsTo(sinks: readonly LogFigures[]): void {
    if (sinks.length === 0) return;
    const registers = this.#registers;
    const labelNames = ['sink'];
    new Gauge({
      name: 'service_agent_decision_log_queued_bytes',
      help: 'Lines of the decision log that wait for their receiver.',
      labelNames,
      registers,
      collect() {
        for (const { name, queuedBytes } of sinks) this.set({ sink: name }, queuedBytes);
      },
    });
    new Counter({
      name: 'service_agent_decision_log_lost_total',
      help: 'Lines of the decision log that a sink has lost; the log says which.',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { name, lostLines } of sinks) this.inc({ sink: name }, lostLines);
      },
    });
  }

  takesFrom(kind: 'cloud' | 'static'): void {
    this.#source.set({ kind }, 1);
  }

  becameReady(source: BundleSource): void {
    this.#cacheHit.inc({ source });
  }

  /** A request that wanted a revision was not answered at once. */
  waited(outcome: WaitOutcome): void {
    this.#waits.inc({ outcome });
  }

  serves(epoch: number): void {
    this.#epoch.set(epoch);
  }

  refusedOld(): void {
    this.#refusedOld.inc();
  }

  refusedBudgets(count: number): void {
    this.#refusedBudgets.set(count);
  }

  syncFailed(): void {
    this.#failures.inc();
  }

  syncState(state: { lastSyncMs: number | undefined; degraded: boolean; consecutiveFailures: number }): void {
    this.#lastSync.set((state.lastSyncMs ?? 0) / 1000);
    this.#degraded.set(state.degraded ? 1 : 0);
    this.#streak.set(state.consecutiveFailures);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The metrics in the text exposition format. */
  async text(): Promise<string> {
    return `${this.#decisions.text()}\n${await this.#registry.metrics()}`;
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: this.#registers });
  }
}

import type { AccessPath } from '@authz-service/core/decision/types';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Whence the agent had the bundle that made it ready. */
export type BundleSource = 'cache' | 'sync';

/** In seconds: a decision takes microseconds; the last ones show what went wrong. */
const DURATION_BUCKETS = [
  0.000_001, 0.000_002, 0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005,
  0.01, 0.1,
];

const OUTCOMES: readonly (readonly [allowed: boolean, path: AccessPath])[] = [
  [true, 'direct'],
  [true, 'role'],
  [true, 'group'],
  [false, 'direct'],
  [false, 'role'],
  [false, 'group'],
  [false, 'none'],
];

/** The metrics of specification section 8.3, and no others. Every series exists from the start, at 0. */
export class AgentMetrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];

  readonly #decisions = new Counter({
    name: 'service_agent_decisions_total',
    help: 'Decisions: one for each call of /v1/authorize and /access/v1/evaluation, and for each evaluation of a batch; one that was refused or failed counts as not allowed, without an access path.',
    labelNames: ['allowed', 'access_path'],
    registers: this.#registers,
  });
  readonly #duration = new Histogram({
    name: 'service_agent_decision_duration_seconds',
    help: 'Evaluation latency of decisions, failed evaluations included.',
    labelNames: ['allowed'],
    buckets: DURATION_BUCKETS,
    registers: this.#registers,
  });
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
  readonly #degraded = this.#gauge('service_agent_degraded', '1 while serving stale data because sync fails.');
  readonly #streak = this.#gauge(
    'service_agent_consecutive_sync_failures',
    'Sync failures since the last successful sync.',
  );

  constructor() {
    this.#gauge('service_agent_up', '1 while the process is alive.').set(1);
    for (const [allowed, path] of OUTCOMES) this.#decisions.inc(DECISION_LABELS[`${allowed}`][path], 0);
    this.#duration.zero(DURATION_LABELS.true);
    this.#duration.zero(DURATION_LABELS.false);
    this.#cacheHit.inc({ source: 'cache' }, 0);
    this.#cacheHit.inc({ source: 'sync' }, 0);
  }

  /** One call of the decision endpoint, or one evaluation of a batch. */
  called(allowed: boolean, path: AccessPath): void {
    this.#decisions.inc(allowed ? DECISION_LABELS.true[path] : DECISION_LABELS.false[path]);
  }

  /** One evaluation that took so long. */
  evaluated(allowed: boolean, ms: number): void {
    this.#duration.observe(allowed ? DURATION_LABELS.true : DURATION_LABELS.false, ms / 1000);
  }

  becameReady(source: BundleSource): void {
    this.#cacheHit.inc({ source });
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

  /** The text exposition format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: this.#registers });
  }
}

/** Label sets made once: a decision makes no garbage for its metrics. */
const DECISION_LABELS = {
  true: labelsByPath('true'),
  false: labelsByPath('false'),
};
const DURATION_LABELS = { true: { allowed: 'true' }, false: { allowed: 'false' } };

function labelsByPath(allowed: string): { [P in AccessPath]: { allowed: string; access_path: P } } {
  return {
    direct: { allowed, access_path: 'direct' },
    role: { allowed, access_path: 'role' },
    group: { allowed, access_path: 'group' },
    none: { allowed, access_path: 'none' },
  };
}

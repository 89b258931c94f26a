import { WAIT_OUTCOMES } from '@authz-service/pdp/revision/revision-waits';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SCOPES, UNITS } from '../limits/read-quotas.js';
import { REPLICA_STATES, type ReplicaState } from './replica-state.js';

/** How many revisions agents are behind, as a label. */
export const AGENT_LAGS = ['0', '1', '2-10', 'more', 'unknown'] as const;
export type AgentLag = (typeof AGENT_LAGS)[number];

/** The cloud's metrics, in the text exposition format at `GET /metrics`. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = this.#counter(
    'service_cloud_requests_total',
    'Requests answered, by method, route and status; 499 is a caller that went away.',
    ['method', 'route', 'status'],
  );
  readonly #durations = this.#histogram(
    'service_cloud_request_duration_seconds',
    'Time from the head of a request to the end of its answer.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['method', 'route'],
  );
  readonly decisions = this.#counter('service_cloud_decisions_total', 'Decisions, by outcome and access path.', [
    'allowed',
    'access_path',
  ]);
  readonly commits = this.#counter('service_cloud_commits_total', 'Revisions committed.');
  readonly commitDurations = this.#histogram(
    'service_cloud_commit_duration_seconds',
    'Time that a commit took, without the wait for its turn.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );

  readonly accessRuleBreaches = this.#counter(
    'service_cloud_access_rule_breaches_total',
    'Changes that broke an access rule: refused, or committed where the rule only warns.',
    ['mode'],
  );
  readonly directoryHolds = this.#counter(
    'service_cloud_directory_holds_total',
    'Requests of directories that were held because they would take away more in an hour than they may.',
    ['limit'],
  );
  readonly existingViolations = new Gauge({
    name: 'service_cloud_access_rule_violations',
    help: 'Violations of access rules that stand, by tenant, as last looked at.',
    labelNames: ['tenant'] as const,
    registers: [this.registry],
  });

  readonly revisionWaits = this.#counter(
    'service_cloud_revision_waits_total',
    'Requests with Service-Min-Revision that were not answered at once, by what became of them.',
    ['outcome'],
  );

  readonly refusedOld = this.#counter(
    'service_cloud_too_old_total',
    'Requests, and evaluations of batches, refused because what is known is older than the request or the resource type allows.',
  );

  readonly epoch = new Gauge({
    name: 'service_cloud_epoch',
    help: 'The number of the newest epoch; 0 if none was declared.',
    registers: [this.registry],
  });

  readonly limited = this.#counter(
    'service_cloud_limited_total',
    'Requests refused by a limit of the operator, by whose it is and what it limits.',
    ['scope', 'unit'],
  );

  readonly enforced = this.#histogram(
    'service_cloud_enforced_seconds',
    'Time from a commit until an agent reported to this process that it enforces it.',
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
  );

  constructor(state: {
    tenants(): number;
    brokenTenants(): number;
    /** Undefined while that is not known. */
    fleet(): Promise<{ byLag: Record<AgentLag, number>; stragglers: number } | undefined>;
    writable(): Promise<boolean>;
    clockBehindSeconds(): number;
    /** How this process follows the commits of others to its database. */
    replica(): { state: ReplicaState; silentSeconds: number };
    /** Whether the database is known to lack commits that this process has seen. */
    setBack(): boolean;
    /** Undefined where none is kept. */
    revocationLogWritable(): boolean | undefined;
  }) {
    collectDefaultMetrics({ register: this.registry });
    // Gauges that are named like counters; the same stands under names without "_total".
    for (const what of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
    for (const scope of SCOPES) for (const unit of UNITS) this.limited.inc({ scope, unit }, 0);
    for (const outcome of WAIT_OUTCOMES) this.revisionWaits.inc({ outcome }, 0);
    this.#gauge('service_cloud_tenants', 'Tenants.', state.tenants);
    this.#gauge(
      'service_cloud_broken_tenants',
      'Tenants that were found not to be as they were committed, and are not served.',
      state.brokenTenants,
    );
    this.#gauge('service_cloud_writable', '1 while changes can be stored, else 0.', async () =>
      Number(await state.writable()),
    );
    this.#replica(state.replica);
    this.#gauge(
      'service_cloud_set_back',
      '1 while the database is known to lack commits that this process has seen, else 0.',
      () => Number(state.setBack()),
    );
    if (state.revocationLogWritable() !== undefined)
      this.#gauge('service_cloud_revocation_log_writable', '1 while revocations can be logged, else 0.', () =>
        Number(state.revocationLogWritable()),
      );
    this.#fleet(state.fleet);
    this.#gauge(
      'service_cloud_clock_behind_seconds',
      'By how much the clock is behind the newest commit; 0 where it is not.',
      state.clockBehindSeconds,
    );
  }

  #replica(read: () => { state: ReplicaState; silentSeconds: number }): void {
    new Gauge({
      name: 'service_cloud_replica',
      help: 'The state of this process: 1 for what it is, current, behind (it reads commits of others) or cut_off (it does not hear of the database), 0 for the others.',
      labelNames: ['state'] as const,
      registers: [this.registry],
      collect() {
        const now = read().state;
        for (const state of REPLICA_STATES) this.set({ state }, Number(state === now));
      },
    });
    this.#gauge(
      'service_cloud_replica_silent_seconds',
      'Time since this process last heard of its database; 0 for a database of its own.',
      () => read().silentSeconds,
    );
  }

  #fleet(read: () => Promise<{ byLag: Record<AgentLag, number>; stragglers: number } | undefined>): void {
    new Gauge({
      name: 'service_cloud_agents',
      help: 'Agents that may decide, of all processes on the database, by how many revisions they are behind.',
      labelNames: ['lag'] as const,
      registers: [this.registry],
      async collect() {
        const counts = await read();
        // What is not known now must not look as it did when it was.
        this.reset();
        for (const [lag, count] of Object.entries(counts?.byLag ?? {})) this.set({ lag }, count);
      },
    });
    new Gauge({
      name: 'service_cloud_agent_stragglers',
      help: 'Of these, those that do not enforce a revision that is older than a minute.',
      registers: [this.registry],
      async collect() {
        const counts = await read();
        if (counts === undefined) this.remove();
        else this.set(counts.stragglers);
      },
    });
  }

  #gauge(name: string, help: string, value: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await value());
      },
    });
  }

  #counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  observeRequest(method: string, route: string, status: number, ms: number): void {
    this.#requests.inc({ method: KNOWN_METHODS.has(method) ? method : 'other', route, status });
    this.#durations.observe({ method: KNOWN_METHODS.has(method) ? method : 'other', route }, ms / 1000);
  }
}

/** Labels must not grow with what callers send. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

import type { RecordChange } from '@authz-service/core/decision/api/engine';
import type { CompiledEngine } from '@authz-service/core/decision/compiled-engine';
import { ProblemError } from '@authz-service/core/problem';
import { reading } from '@authz-service/core/read-write-lock';
import type { TenantSearch } from '@authz-service/core/search/tenant-search';
import type { DigestSet } from '@authz-service/core/state/digest-set';
import type { AgentMetrics, BundleSource } from '../metrics.js';
import type { Standing } from './last-served.js';
import { NO_TRUST, type Trust } from './trust.js';

/** What decisions are answered from: one revision, replaced by the next within one turn of the event loop. */
export interface Served {
  engine: CompiledEngine;
  search: TenantSearch;
  tenant: { id: string; name: string };
  /** The tenant's revision. */
  revision: string;
  /** SHA-256 of the tenant's records, in hex. */
  digest: string;
  /** The leaves of that digest. They run ahead of the engine while a delta is being checked. */
  digests: DigestSet;
  /** Whether it came as a whole, or as changes to the revision before. */
  activatedBy: 'bundle' | 'delta';
  /** The revision of the whole bundle: what the cloud's ETag names. */
  bundleRevision: string;
  /** When the cloud signed it (RFC 3339), and by which key. */
  issuedAt: string;
  signedBy: string;
}

/** What the sync tells of itself, for the status report. */
export interface Syncing {
  requestedAtMs: number | undefined;
  activatedAtMs: number | undefined;
  lastError: { at: string; code: string; detail: string } | undefined;
  /** Undefined while it is not known whether the cloud holds requests. */
  longPoll: boolean | undefined;
  /** By which keys bundles are believed. */
  trust: Trust;
}

/** What was served last, also where nothing is served any more. */
export interface Last {
  standing: Standing;
  /** Whether an earlier run alone has served it, perhaps for another tenant. */
  earlier: boolean;
}

export type Phase = 'starting' | 'cold' | 'ready' | 'degraded';

/** The body of `GET /healthz`. Before the first bundle it names no revision, and the last sync is the epoch. */
export interface HealthReport {
  /** `ok`, or `starting`, `cold` or `degraded`. */
  status: string;
  /** Empty before the first bundle. */
  bundle_revision: string;
  /** ISO 8601, UTC. */
  last_sync: string;
  degraded: boolean;
  consecutive_failures: number;
  sync_age_seconds: number;
}

/** The agent's state, and the gauges that show it. */
export class AgentState {
  #served: Served | undefined;
  #last: Last | undefined;
  #started = false;
  #consecutiveFailures = 0;
  /** In wall-clock time for showing, in monotonic time for ages: the wall clock may jump. */
  #lastSync: { wallMs: number; monotonicMs: number } | undefined;

  /** When the monotonic clock stood at zero, by the time at which what is served was signed, or later. */
  #startedAtMs = Number.NEGATIVE_INFINITY;

  readonly syncing: Syncing = {
    requestedAtMs: undefined,
    activatedAtMs: undefined,
    lastError: undefined,
    longPoll: undefined,
    trust: NO_TRUST,
  };

  constructor(private readonly metrics: AgentMetrics) {
    this.#show();
  }

  get served(): Served | undefined {
    return this.#served;
  }

  get last(): Last | undefined {
    return this.#last;
  }

  get consecutiveFailures(): number {
    return this.#consecutiveFailures;
  }

  get phase(): Phase {
    if (this.#served === undefined) return this.#started ? 'cold' : 'starting';
    return this.#consecutiveFailures > 0 ? 'degraded' : 'ready';
  }

  /**
   * The cache was looked at: what it held is served, as the cloud confirmed it last at that time. `before`: what an
   * earlier run served last, as far as the cache remembers it.
   */
  started(cached?: { served: Served; confirmedAtMs: number }, before?: Standing): void {
    this.#started = true;
    if (before !== undefined) this.#last = { standing: before, earlier: true };
    if (cached === undefined) return;
    const ageMs = Math.max(0, Date.now() - cached.confirmedAtMs);
    this.#lastSync = { wallMs: Date.now() - ageMs, monotonicMs: performance.now() - ageMs };
    this.#serve(cached.served, 'cache');
    this.#show();
  }

  /** A sync brought a bundle. */
  replaced(served: Served): void {
    this.#serve(served, 'sync');
  }

  /**
   * A sync brought changes to what is served: in the very turn in which the engine takes them, all that names the
   * revision moves on. Waits for work of several turns to end (`read`). An engine that fails in the middle is neither
   * the one nor the other: nothing is served any more, and this throws.
   */
  async advanced(changes: readonly RecordChange[], next: Served): Promise<void> {
    await next.engine.lock.write(() => {
      try {
        next.engine.apply(changes);
      } catch (error) {
        this.#served = undefined;
        throw error;
      }
      this.#serve(next, 'sync');
    });
  }

  /** Runs work of several turns on what is served, which stays as it is until the work ends. Throws `not_ready`. */
  read<T>(work: (served: Served) => Promise<T>): Promise<T> {
    const served = () => {
      if (this.#served === undefined) throw notReady();
      return this.#served;
    };
    return reading(served, ({ engine }) => engine.lock, work);
  }

  /** Returns the failures that this success ended. */
  syncSucceeded(): number {
    const ended = this.#consecutiveFailures;
    this.#consecutiveFailures = 0;
    this.#lastSync = { wallMs: Date.now(), monotonicMs: performance.now() };
    this.#show();
    return ended;
  }

  /** Returns the failures in a row, this one included. */
  syncFailed(cause: { code: string; detail: string }): number {
    this.#consecutiveFailures++;
    this.syncing.lastError = { at: new Date().toISOString(), ...cause };
    this.metrics.syncFailed();
    this.#show();
    return this.#consecutiveFailures;
  }

  /**
   * The time by which decisions are made, in milliseconds since the epoch: the machine's, but never before the signature
   * of what is served and what has passed since. A clock that is behind must give no right beyond its end.
   */
  now(): number {
    return Math.max(Date.now(), this.#startedAtMs + performance.now());
  }

  /** When the cloud last confirmed what is served (ISO 8601, UTC); null while it never did. */
  get lastSync(): string | null {
    return this.#lastSync === undefined ? null : new Date(this.#lastSync.wallMs).toISOString();
  }

  get syncAgeSeconds(): number | null {
    if (this.#lastSync === undefined) return null;
    return Math.round(performance.now() - this.#lastSync.monotonicMs) / 1000;
  }

  health(): HealthReport {
    const { phase } = this;
    return {
      status: phase === 'ready' ? 'ok' : phase,
      bundle_revision: this.#served?.revision ?? '',
      // Of the types that the specification gives, and as old as the gauge says: what watches for stale data fires.
      last_sync: this.lastSync ?? new Date(0).toISOString(),
      degraded: phase === 'degraded',
      consecutive_failures: this.#consecutiveFailures,
      sync_age_seconds: this.syncAgeSeconds ?? Date.now() / 1000,
    };
  }

  #serve(served: Served, source: BundleSource): void {
    if (this.#served === undefined) this.metrics.becameReady(source);
    if (this.#served?.revision !== served.revision) this.syncing.activatedAtMs = Date.now();
    this.#startedAtMs = Date.parse(served.issuedAt) - performance.now();
    this.#served = served;
    this.#last = { standing: served, earlier: false };
  }

  #show(): void {
    this.metrics.syncState({
      lastSyncMs: this.#lastSync?.wallMs,
      degraded: this.phase === 'degraded',
      consecutiveFailures: this.#consecutiveFailures,
    });
  }
}

export function notReady(): ProblemError {
  return new ProblemError(
    'not_ready',
    'The agent has no bundle yet and grants nothing: ask again when /readyz answers 200.',
  );
}

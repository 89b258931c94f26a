import type { Budget, RecordChange } from '@authz-service/core/access/api/engine';
import type { NewestBundle } from '@authz-service/core/bundle/newest';
import { reading } from '@authz-service/core/concurrency/read-write-lock';
import { ProblemError } from '@authz-service/core/problem';
import { compareTokens } from '@authz-service/core/state/revision';
import { assertYoung, MAX_AGE_HEADER } from '@authz-service/pdp/revision/max-age';
import type { ServedRevision } from '../cache/last-served.js';
import type { BundleSource, SyncMetrics } from '../sync-metrics.js';
import { Budgets } from './budgets.js';
import { DecisionClock } from './decision-clock.js';
import { bundleName, revisionToken, type Served, tenantRevision } from './served.js';
import { NO_TRUST, type Trust } from './trust.js';

/** The state of the sync, for the status report. */
export interface Syncing {
  /** The source of bundles: a cloud, or files that a web server distributes. */
  source: { kind: 'cloud' | 'static'; url: string };
  requestedAtMs: number | undefined;
  activatedAtMs: number | undefined;
  lastError: { at: string; code: string; detail: string } | undefined;
  /** Undefined while it is not known whether the cloud supports long polling. */
  longPoll: boolean | undefined;
  /** The keys with which bundles are verified. */
  trust: Trust;
}

/** The revision that was served last, even if nothing is served any more. */
export interface Last {
  servedRevision: ServedRevision;
  /** Whether only an earlier run has served it, perhaps for another tenant. */
  earlier: boolean;
}

export type Phase = 'starting' | 'cold' | 'ready' | 'degraded';

/** The body of `GET /healthz`. Before the first bundle it names no revision, and the last sync is the epoch. */
export interface HealthReport {
  /** One of `ok`, `starting`, `cold` and `degraded`. */
  status: string;
  /** Empty before the first bundle. */
  bundle_revision: string;
  /** ISO 8601, UTC. */
  last_sync: string;
  degraded: boolean;
  consecutive_failures: number;
  sync_age_seconds: number;
}

/** A moment by both clocks: the wall clock may be set, and the monotonic one stands still while the machine sleeps. */
export interface Moment {
  wallMs: number;
  monotonicMs: number;
}

/** The agent's state and the gauges that show it. */
export class BundleState {
  #served: Served | undefined;
  #last: Last | undefined;
  #started = false;
  #stopping = false;
  /** Those who wait until something else is served. */
  readonly #waiting = new Set<() => void>();
  #consecutiveFailures = 0;
  /** The wall-clock time is for display; ages use the monotonic clock, because the wall clock may jump. */
  #lastSync: Moment | undefined;
  /** The moment at which, or later, what is served was the newest. */
  #knownSince: Moment | undefined;
  /**
   * The same by the clock of the cloud, and never ahead of this machine's: only what is signed for a later time makes what
   * is known younger. A clock of the cloud that was ahead must not make the agent refuse what it signs once it is right.
   */
  #newestAtMs = Number.NEGATIVE_INFINITY;
  /** The time that was signed last, as it was: repeated, it brings nothing new, even if it is ahead of this clock. */
  #signedAtMs: number | undefined;

  readonly clock = new DecisionClock();

  /** A smaller maximum age of an earlier run, by which the cloud goes until it answers this one (`KeptMaxAge`). */
  formerMaxAgeMs: number | undefined;
  #answered = false;

  readonly syncing: Syncing = {
    source: { kind: 'cloud', url: '' },
    requestedAtMs: undefined,
    activatedAtMs: undefined,
    lastError: undefined,
    longPoll: undefined,
    trust: NO_TRUST,
  };

  constructor(
    private readonly metrics: SyncMetrics,
    /** The age of what is known past which nothing is decided; undefined: none. */
    readonly maxAgeMs?: number,
    readonly budgets = new Budgets(0),
  ) {
    this.#show();
  }

  get served(): Served | undefined {
    return this.#served;
  }

  /** The revision that answers, as callers see it. */
  get servedToken(): string | undefined {
    return this.#served && revisionToken(this.#served);
  }

  /** The name of the whole bundle that is served. */
  get servedBundle(): string | undefined {
    return this.#served && bundleName(this.#served);
  }

  get last(): Last | undefined {
    return this.#last;
  }

  get consecutiveFailures(): number {
    return this.#consecutiveFailures;
  }

  /** Whether the cloud has answered this run, as its signature proves. */
  get answered(): boolean {
    return this.#answered;
  }

  /** The time at which something was signed as the newest, for the latest that was heard, by the clock of the cloud. */
  get signedAtMs(): number | undefined {
    return this.#signedAtMs;
  }

  get phase(): Phase {
    if (this.#served === undefined) return this.#started ? 'cold' : 'starting';
    return this.#consecutiveFailures > 0 ? 'degraded' : 'ready';
  }

  /**
   * Called after the cache was read: what it held is served, with the time of the cloud's last confirmation, and the time
   * at which that was the newest, as the cloud has signed it. `before` is what an earlier run served last, if the cache
   * remembers it.
   */
  started(
    cached?: { served: Served; confirmedAtMs: number; newestAtMs?: number | undefined },
    before?: ServedRevision,
  ): void {
    this.#started = true;
    if (before !== undefined) this.#last = { servedRevision: before, earlier: true };
    if (cached === undefined) return;
    const { newestAtMs } = cached;
    if (newestAtMs !== undefined) {
      this.#signedAtMs = newestAtMs;
      const agoMs = Date.now() - newestAtMs;
      // If it is ahead, one of the clocks was wrong: nobody knows how long ago that was.
      if (agoMs >= 0) {
        this.#newestAtMs = newestAtMs;
        this.#knownSince = { wallMs: newestAtMs, monotonicMs: performance.now() - agoMs };
      }
    }
    const ageMs = Math.max(0, Date.now() - cached.confirmedAtMs);
    this.#lastSync = this.#signed() ?? { wallMs: Date.now() - ageMs, monotonicMs: performance.now() - ageMs };
    this.#serve(cached.served, 'cache');
    this.#show();
  }

  /**
   * The cloud has signed that this bundle is the newest: of a slice, it names the revision of the tenant of which that is the
   * part, since commits outside of it change nothing here.
   */
  confirmed({ bundle, of }: NewestBundle): void {
    const served = this.#served;
    if (of === undefined || served?.slice === undefined || bundleName(served) !== bundle) return;
    if (compareTokens(of, served.slice.of) <= 0) return;
    this.#served = { ...served, slice: { ...served.slice, of } };
    this.#last = { servedRevision: this.#served, earlier: false };
    for (const wake of this.#waiting) wake();
  }

  /** A sync has brought a bundle. */
  replaced(served: Served): void {
    this.#serve(served, 'sync');
  }

  /**
   * A sync has brought changes to what is served: in the same turn in which the engine takes them, everything that
   * names the revision changes, too. It waits for work of several turns to end (`read`). If the engine fails in the
   * middle, it holds neither the old nor the new revision: nothing is served any more, and this throws.
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

  /**
   * Returns what may be decided by. Throws `not_ready` if there is nothing, and `too_old` past the agent's own maximum age
   * or that of the request.
   */
  current(requestedMs?: number): Served {
    if (this.#served === undefined) throw notReady();
    if (this.maxAgeMs !== undefined) this.#assertYoung(this.maxAgeMs, 'SERVICE_MAX_AGE');
    if (this.formerMaxAgeMs !== undefined) this.#assertYoung(this.formerMaxAgeMs, 'SERVICE_MAX_AGE of its last run');
    if (requestedMs !== undefined) this.#assertYoung(requestedMs, MAX_AGE_HEADER);
    return this.#served;
  }

  /** Throws `too_old` if what had this age must not decide about the type of the budget. */
  assertWithin(budget: Budget, ageMs: number): void {
    this.#counted(() => this.budgets.assertWithin(budget, ageMs, this.#until));
  }

  /**
   * Runs work of several turns on what is served, which does not change until the work ends. Throws as `current` does.
   */
  read<T>(work: (served: Served) => Promise<T>, requestedMs?: number): Promise<T> {
    return reading(
      () => this.current(requestedMs),
      ({ engine }) => engine.lock,
      work,
    );
  }

  /**
   * The age of what is known, in milliseconds: the time since the cloud was asked for the last answer with a later time at
   * which that is the newest, or since that time. It is at least the true age as long as this clock is not behind the
   * cloud's. Infinite if it is not known.
   */
  get knownAgeMs(): number {
    const since = this.#knownSince;
    if (since === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(performance.now() - since.monotonicMs, Date.now() - since.wallMs);
  }

  /**
   * A poll that began at the given moment succeeded, and the cloud has signed that its answer was the newest at the given
   * time. Returns the number of failures that this success ended.
   */
  syncSucceeded(askedAt: Moment = moment(), newestAtMs?: number): number {
    if (newestAtMs !== undefined && newestAtMs !== this.#signedAtMs)
      this.clock.correct(newestAtMs, this.syncing.source.kind === 'cloud');
    // An answer that is repeated on the way, by whomever, brings no later time.
    if (newestAtMs !== undefined && newestAtMs > this.#newestAtMs && newestAtMs !== this.#signedAtMs) {
      this.#answered = true;
      this.formerMaxAgeMs = undefined;
      this.#signedAtMs = newestAtMs;
      this.#newestAtMs = Math.min(newestAtMs, Date.now());
      // By both clocks: what was signed long ago must not become young where the wall clock is set back.
      const wallMs = Math.min(askedAt.wallMs, newestAtMs);
      this.#knownSince = { wallMs, monotonicMs: askedAt.monotonicMs - (askedAt.wallMs - wallMs) };
    }
    const ended = this.#consecutiveFailures;
    this.#consecutiveFailures = 0;
    this.#lastSync = this.#signed() ?? moment();
    this.#show();
    return ended;
  }

  /**
   * Resolves when something else is served, and at the latest after so many milliseconds. Rejects with the signal's reason
   * once nobody waits any more, and with `not_ready` once the agent stops.
   */
  changed(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        gone.removeEventListener('abort', wake);
        if (gone.aborted) reject(gone.reason);
        else if (this.#stopping) reject(stops());
        else resolve();
      };
      const wake = () => end();
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
      gone.addEventListener('abort', wake);
      if (gone.aborted || this.#stopping) end();
    });
  }

  /** Ends the waits: from now on nobody waits for another revision. */
  stop(): void {
    this.#stopping = true;
    for (const wake of this.#waiting) wake();
  }

  /** Returns the number of consecutive failures, this one included. */
  syncFailed(cause: { code: string; detail: string }): number {
    this.#consecutiveFailures++;
    this.syncing.lastError = { at: new Date().toISOString(), ...cause };
    this.metrics.syncFailed();
    this.#show();
    return this.#consecutiveFailures;
  }

  /** The time for decisions, in milliseconds since the epoch. */
  now(): number {
    return this.clock.now();
  }

  /** When the cloud last confirmed what is served (ISO 8601, UTC); null if it never has. */
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
      bundle_revision: this.#served === undefined ? '' : tenantRevision(this.#served),
      // Before the first sync this is the epoch, so that alerts on stale data fire (docs/decisions/0006).
      last_sync: this.lastSync ?? new Date(0).toISOString(),
      degraded: phase === 'degraded',
      consecutive_failures: this.#consecutiveFailures,
      sync_age_seconds: this.syncAgeSeconds ?? Date.now() / 1000,
    };
  }

  #serve(served: Served, source: BundleSource): void {
    if (this.#served === undefined) this.metrics.becameReady(source);
    if (this.#served?.revision !== served.revision) this.syncing.activatedAtMs = Date.now();
    this.clock.serves(Date.parse(served.issuedAt));
    this.#served = served;
    this.budgets.follow(served.engine);
    this.metrics.refusedBudgets(this.budgets.refused.length);
    this.metrics.serves(served.epoch?.number ?? 0);
    this.#last = { servedRevision: served, earlier: false };
    for (const wake of this.#waiting) wake();
  }

  /** With files, the cloud has confirmed nothing later than what it has signed, whoever answers; undefined with a cloud. */
  #signed(): Moment | undefined {
    if (this.syncing.source.kind === 'cloud' || this.#knownSince === undefined) return undefined;
    return { wallMs: this.#knownSince.wallMs, monotonicMs: performance.now() - this.knownAgeMs };
  }

  #assertYoung(maxMs: number, by: string): void {
    this.#counted(() => assertYoung(this.knownAgeMs, maxMs, { by, until: this.#until }));
  }

  /** The remedy for knowledge that is too old, as the end of a sentence. */
  get #until(): string {
    const helps =
      this.syncing.source.kind === 'static' ? 'it reads files that were published later' : 'the cloud answers it again';
    return `this agent decides nothing so until ${helps}`;
  }

  #counted(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.metrics.refusedOld();
      throw error;
    }
  }

  #show(): void {
    this.metrics.syncState({
      lastSyncMs: this.#lastSync?.wallMs,
      degraded: this.phase === 'degraded',
      consecutiveFailures: this.#consecutiveFailures,
    });
  }
}

function stops(): ProblemError {
  return new ProblemError('not_ready', 'The agent stops: ask again once it is back.');
}

/** The present moment. */
export function moment(): Moment {
  return { wallMs: Date.now(), monotonicMs: performance.now() };
}

function notReady(): ProblemError {
  return new ProblemError(
    'not_ready',
    'The agent has no bundle yet and grants nothing: ask again when /readyz answers 200.',
  );
}

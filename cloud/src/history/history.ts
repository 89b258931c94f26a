import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { HISTORY_POINT_WORDS, type HistoryPoint, historyPoint } from '@authz-service/core/state/history-point';
import { revisionText } from '@authz-service/core/state/revision';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { SerialQueue } from '../concurrency/serial-queue.js';
import { untilAborted } from '../concurrency/until-aborted.js';
import type { PastPosition, RevisionPoint, Store } from '../store/store.js';
import type { ReadableTenant, Tenant } from '../tenants/tenant.js';
import { PastTenant } from './past-tenant.js';

/** The tenant as it was, and the clock of what is decided there: the asked time, or none if a revision was asked for. */
export interface Moment {
  tenant: ReadableTenant;
  now?: number;
}

/** The most records of past states that are kept for the next requests, such as the pages of a search. */
const KEPT_RECORDS_MAX = 250_000;

/** The signal of those who wait as long as it takes. */
const NEVER = new AbortController().signal;

/** Tenants at past revisions, rebuilt from the store when they are asked for. */
export class History {
  /** By tenant and revision, the least recently used first. */
  readonly #kept = new Map<string, PastTenant>();
  /** States are rebuilt one at a time, so that many requests do not fill the memory. */
  readonly #queue = new SerialQueue();

  /** Counts calls of `forget`: what was read before one is not kept after it. */
  #forgotten = 0;

  constructor(
    private readonly store: Store,
    private readonly slicing: TimeSlicing,
  ) {}

  /**
   * The tenant at a revision or a time, as a request writes it. Throws `invalid_request` for anything else and for times
   * that have not come, `not_found` for a revision that the tenant never had, and `outside_history` for one that is no
   * longer kept. Rebuilding ends with the signal. With `ahead`, a time to come means the tenant as it is, by the clock of then.
   */
  async at(
    tenant: Tenant,
    text: string,
    { now, signal, ahead = false }: { now: number; signal?: AbortSignal | undefined; ahead?: boolean },
  ): Promise<Moment> {
    const point = historyPoint(text);
    if (point === undefined) throw malformed(`is ${JSON.stringify(text.slice(0, 100))}: write ${HISTORY_POINT_WORDS}.`);
    if ('time' in point && point.time > now) {
      if (ahead) return { tenant, now: point.time };
      throw malformed(
        `is ${text}, which has not come yet: ask for a time until now, or ask decisions and searches about it.`,
      );
    }
    const clock = 'time' in point ? { now: point.time } : {};
    const revision = await this.#find(tenant, point);
    return { tenant: await this.#tenantAt(tenant, revision, signal), ...clock };
  }

  /** Forgets what is kept in memory of a tenant. */
  forget(tenant: string): void {
    this.#forgotten++;
    for (const key of this.#kept.keys()) if (key.startsWith(`${tenant} `)) this.#kept.delete(key);
  }

  async #find(tenant: Tenant, point: HistoryPoint): Promise<RevisionPoint> {
    const { oldest, newest } = await this.store.historyStart(tenant.id);
    const wanted = 'time' in point ? { at: new Date(point.time).toISOString() } : { number: point.revision };
    const found = await this.store.findRevision(tenant.id, wanted);
    const known = `the oldest that can be had is ${textOf(oldest)} of ${oldest.at}`;
    if (found === undefined && 'time' in point) {
      throw new ProblemError('outside_history', `The tenant "${tenant.name}" did not exist at that time: ${known}.`);
    }
    if (found === undefined || ('revision' in point && !isMeant(point, found))) {
      throw new ProblemError(
        'not_found',
        `The tenant "${tenant.name}" never had this revision: ${known}, the newest is ${textOf(newest)} of ${newest.at}.`,
      );
    }
    if (found.revision < oldest.revision) {
      throw new ProblemError(
        'outside_history',
        `The records of revision ${textOf(found)} are no longer kept: ${known}.`,
      );
    }
    return found;
  }

  async #tenantAt(tenant: Tenant, point: RevisionPoint, signal = NEVER): Promise<ReadableTenant> {
    const revision = textOf(point);
    if (tenant.revision === revision) return tenant;
    const key = `${tenant.id} ${revision}`;
    const known = this.#recall(key);
    if (known !== undefined) return known;
    return await this.#queue.run(async () => {
      const forgotten = this.#forgotten;
      const past = this.#recall(key) ?? (await this.#rebuild(tenant, point, signal));
      if (forgotten === this.#forgotten) this.#keep(key, past);
      return past;
    });
  }

  async #rebuild(tenant: Tenant, point: RevisionPoint, signal: AbortSignal): Promise<PastTenant> {
    const revision = textOf(point);
    const inSteps = <T>(steps: Generator<undefined, T>) => this.slicing.run(untilAborted(steps, signal), tenant.id);
    const records = new Map<string, StoredRecord>();
    let after: PastPosition | undefined;
    let erased = 0;
    do {
      signal.throwIfAborted();
      const page = await this.store.readPast(tenant.id, point.revision, after);
      for (const record of page.records) records.set(record.address, record);
      erased += page.erased;
      after = page.next;
    } while (after !== undefined);
    const state = await inSteps(TenantState.inSteps([...records.values()]));
    if (erased === 0 && state.digest() !== point.digest) {
      // History may have been cut off while it was read; then this throws the refusal.
      await this.#find(tenant, { revision: point.revision });
      throw new Error(`history of the tenant "${tenant.name}" gives another digest for revision ${revision}`);
    }
    return new PastTenant(tenant, { revision, state, erased }, (steps) => this.slicing.run(steps, tenant.id));
  }

  #recall(key: string): PastTenant | undefined {
    const known = this.#kept.get(key);
    if (known !== undefined) this.#keep(key, known);
    return known;
  }

  /** The newest one is kept whatever its size. */
  #keep(key: string, past: PastTenant): void {
    this.#kept.delete(key);
    this.#kept.set(key, past);
    let records = 0;
    for (const { state } of this.#kept.values()) records += state.size;
    for (const [oldest, { state }] of this.#kept) {
      if (records <= KEPT_RECORDS_MAX || oldest === key) break;
      this.#kept.delete(oldest);
      records -= state.size;
    }
  }
}

function textOf({ revision, digest }: RevisionPoint): string {
  return revisionText(revision, digest);
}

function isMeant({ digest }: { digest?: string }, found: RevisionPoint): boolean {
  return digest === undefined || found.digest.startsWith(digest);
}

function malformed(detail: string): ProblemError {
  return new ProblemError('invalid_request', `The query is malformed: at ${detail}`, [{ pointer: '/at', detail }]);
}

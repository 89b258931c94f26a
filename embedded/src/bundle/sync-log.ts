import type { Budget } from '@authz-service/core/access/api/engine';
import { ProblemError } from '@authz-service/core/problem';
import type { Logger } from '../log.js';
import type { BundleState, Moment } from './bundle-state.js';
import type { Polled } from './polled.js';

/** At each multiple of this many consecutive failures, the log reports an error. */
const FAILURES_PER_ERROR = 5;

/** A smaller difference between clocks is not reported. */
const SKEW_TOLD_MS = 60_000;

/** The most budgets that are logged one by one. */
const BUDGETS_TOLD_MAX = 10;

/** Records the outcome of polls in the state, and logs what an operator should know (docs/decisions/0006). */
export class SyncLog {
  #lastCause: string | undefined;
  #clocks: 'right' | 'apart' | 'ahead' = 'right';
  #unsigned = false;
  /** The budgets that the log says are refused. */
  #refused: ReadonlySet<string> = new Set();

  constructor(
    private readonly state: BundleState,
    private readonly log: Logger,
  ) {}

  succeeded({ saved, aheadMs = 0, newestAtMs }: Polled, askedAt?: Moment): void {
    this.#lastCause = undefined;
    this.#compareClocks(aheadMs);
    this.logBudgets();
    this.#logUnsigned(newestAtMs === undefined);
    const failures = this.state.syncSucceeded(askedAt, newestAtMs);
    if (failures === 0) return;
    this.log.info(
      { consecutive_failures: failures, bundle_revision: this.state.served?.revision },
      `bundle sync recovered after ${failures} consecutive failures, ${saved ? 'cache refreshed' : 'cache not refreshed'}`,
    );
  }

  /** Logs which budgets cannot be kept, once for each, and when all can be again. */
  logBudgets(): void {
    const { budgets } = this.state;
    const { refused } = budgets;
    const news = refused.filter((budget) => !this.#refused.has(nameOf(budget)));
    for (const budget of news.slice(0, BUDGETS_TOLD_MAX))
      this.log.error({ resource_type: budget.of }, budgets.refusal(budget));
    const more = news.length - BUDGETS_TOLD_MAX;
    if (more > 0)
      this.log.error(
        { resource_types: news.length },
        `${more} more resource type${more === 1 ? ' is' : 's are'} refused for the same reason: GET /v1/status lists them`,
      );
    if (refused.length === 0 && this.#refused.size > 0)
      this.log.info('decisions are made about all resource types again');
    this.#refused = new Set(refused.map(nameOf));
  }

  /**
   * Logs when answers begin to say nothing of their age, and when that ends: an agent with a maximum age then decides
   * nothing.
   */
  #logUnsigned(unsigned: boolean): void {
    const { state, log } = this;
    const limited = (state.maxAgeMs ?? state.formerMaxAgeMs) !== undefined || state.budgets.all.length > 0;
    if (unsigned === this.#unsigned || (unsigned && !limited)) return;
    this.#unsigned = unsigned;
    if (unsigned) {
      log.warn(
        'the cloud does not sign when its bundle was the newest, so that SERVICE_MAX_AGE, or the max_age of resource types, refuses decisions though it answers: update the cloud before its agents, and let proxies pass the header Bundle-Newest on',
      );
    } else log.info('the cloud signs when its bundle was the newest');
  }

  /**
   * Logs when a clock difference begins and when it ends: decisions that depend on the time differ from what people
   * expect.
   */
  #compareClocks(aheadMs: number): void {
    const { state, log } = this;
    const leadMs = state.now() - Date.now();
    const apart = Math.abs(aheadMs) >= SKEW_TOLD_MS;
    const clocks = apart ? 'apart' : leadMs >= SKEW_TOLD_MS ? 'ahead' : 'right';
    if (clocks === this.#clocks) return;
    this.#clocks = clocks;
    if (clocks === 'right') {
      log.info('the clocks of this machine and of the cloud agree again');
    } else if (clocks === 'apart') {
      const side = aheadMs < 0 ? 'ahead of' : 'behind';
      const seconds = Math.round(Math.abs(aheadMs) / 1000);
      log.warn(
        { cloud_ahead_seconds: Math.round(aheadMs / 1000) },
        `the clock of this machine is ${seconds} s ${side} that of the cloud: rights may end early, and conditions on the time of day may be wrong; correct the clock that is wrong`,
      );
    } else {
      const seconds = Math.round(leadMs / 1000);
      log.warn(
        { lead_seconds: seconds, issued_at: state.served?.issuedAt },
        `decisions use a time ${seconds} s ahead of the clock of this machine, because the cloud signed what is served at that time: rights may begin and end early until it signs the right time`,
      );
    }
  }

  failed(error: unknown): void {
    const known = error instanceof ProblemError;
    const cause = known ? error.detail : String(error);
    const code = known ? error.code : 'internal';
    const failures = this.state.syncFailed({ code, detail: cause });
    const fields = { consecutive_failures: failures, sync_age_seconds: this.state.syncAgeSeconds, error: cause };
    // A cause is logged when it first appears, so that a wrong API key is known at once and not only after five polls.
    // The same cause may name a growing number of seconds. Another status is another cause.
    const gist = cause.replace(/\d+(?= (s|seconds?)\b)/g, '');
    if (gist !== this.#lastCause) this.log.warn({ ...fields, ...(known ? {} : { err: error }) }, 'bundle sync failed');
    this.#lastCause = gist;
    if (failures % FAILURES_PER_ERROR !== 0) return;
    const { served, budgets, knownAgeMs, maxAgeMs = Number.POSITIVE_INFINITY, formerMaxAgeMs = maxAgeMs } = this.state;
    const boundMs = Math.min(maxAgeMs, formerMaxAgeMs);
    const consequence =
      served === undefined
        ? 'not ready: no bundle has been loaded yet'
        : knownAgeMs > boundMs
          ? `refusing to decide by what is older than SERVICE_MAX_AGE (${boundMs / 1000} s)`
          : `${refusing(budgets.exceeded(knownAgeMs).length)}serving from cache, last successful sync ${Math.round(this.state.syncAgeSeconds ?? 0)} s ago`;
    this.log.error(fields, `bundle sync failing for ${failures} consecutive attempts, ${consequence}`);
  }
}

function nameOf({ of, maxAgeMs }: Budget): string {
  return `${of} ${maxAgeMs}`;
}

function refusing(types: number): string {
  if (types === 0) return '';
  return `refusing to decide about ${types} resource type${types === 1 ? '' : 's'} past their max_age, and else `;
}

import { ProblemError } from '@authz-service/core/problem';
import type { Logger } from '../log.js';
import type { AgentState } from '../state.js';

/** Every so many failures in a row the log says so as an error. */
const FAILURES_PER_ERROR = 5;

/** Keeps the count of how polls went in the state, and says in the log what somebody should know (specification 6.2). */
export class SyncLog {
  #lastCause: string | undefined;

  constructor(
    private readonly state: AgentState,
    private readonly log: Logger,
  ) {}

  /** `cached`: whether the served bundle is on disk. */
  succeeded({ cached }: { cached: boolean }): void {
    this.#lastCause = undefined;
    const failures = this.state.syncSucceeded();
    if (failures === 0) return;
    this.log.info(
      { consecutive_failures: failures, bundle_revision: this.state.served?.revision },
      `bundle sync recovered after ${failures} consecutive failures, ${cached ? 'cache refreshed' : 'cache not refreshed'}`,
    );
  }

  failed(error: unknown): void {
    const known = error instanceof ProblemError;
    const cause = known ? error.detail : String(error);
    const code = known ? error.code : 'internal';
    const failures = this.state.syncFailed({ code, detail: cause });
    const fields = { consecutive_failures: failures, sync_age_seconds: this.state.syncAgeSeconds, error: cause };
    // A cause is said when it first shows, so that a wrong API key is known at once and not after five polls.
    if (cause !== this.#lastCause) this.log.warn({ ...fields, ...(known ? {} : { err: error }) }, 'bundle sync failed');
    this.#lastCause = cause;
    if (failures % FAILURES_PER_ERROR !== 0) return;
    const consequence =
      this.state.served === undefined
        ? 'not ready: no bundle has been loaded yet'
        : `serving from cache, last successful sync ${Math.round(this.state.syncAgeSeconds ?? 0)} s ago`;
    this.log.error(fields, `bundle sync failing for ${failures} consecutive attempts, ${consequence}`);
  }
}

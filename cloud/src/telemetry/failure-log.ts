import { type ProblemCode, ProblemError } from '@authz-service/core/problem';
import { isExpected } from '@authz-service/pdp/transport/problem-document';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import type { Logger } from 'pino';

const QUIET_MS = 60_000;

/**
 * Logs what callers have not caused. What is a state of the service, as its status 503 says, is one line a minute for each
 * code, however many ask meanwhile; whatever brings such a state about is logged with its cause where it is found.
 */
export class FailureLog {
  /** When a code was last logged, and the refusals since. */
  readonly #told = new Map<ProblemCode, { at: number; since: number }>();

  /** `clock` returns monotonic milliseconds. */
  constructor(private readonly clock: () => number) {}

  note(error: unknown, route: string, log: Pick<Logger, 'error' | 'warn'>): void {
    if (isExpected(error)) return;
    if (!(error instanceof ProblemError)) log.error({ err: error, route }, 'unexpected error');
    else if (PROBLEM_STATUS[error.code] === 503) this.#noteState(error, route, log);
    else log.error({ err: error, route }, error.detail);
  }

  #noteState({ code, detail }: ProblemError, route: string, log: Pick<Logger, 'warn'>): void {
    const told = this.#told.get(code);
    if (told !== undefined && this.clock() - told.at < QUIET_MS) {
      told.since += 1;
      return;
    }
    const since = told?.since ?? 0;
    this.#told.set(code, { at: this.clock(), since: 0 });
    log.warn({ code, route, ...(since > 0 && { refused_since_last_line: since }) }, detail);
  }
}

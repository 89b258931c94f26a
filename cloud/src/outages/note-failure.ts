import { ProblemError } from '@authz-service/core/problem';
import { isExpected } from '@authz-service/pdp/transport/problem-document';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import type { Logger } from 'pino';
import type { OutageLog } from './outage-log.js';

/** Statuses of what the service cannot do for a while, whoever asks. */
const OUTAGES: ReadonlySet<number> = new Set([503, 504, 507]);

/** Logs what a caller has not caused; whatever brings an outage about is logged with its stack where it is found. */
export function noteFailure(
  error: unknown,
  route: string,
  { log, outages }: { log: Pick<Logger, 'error'>; outages: OutageLog },
): void {
  if (isExpected(error)) return;
  if (!(error instanceof ProblemError)) log.error({ err: error, route }, 'unexpected error');
  else if (OUTAGES.has(PROBLEM_STATUS[error.code])) {
    const { code, detail, cause } = error;
    outages.failed(detail, { code, route, ...(cause instanceof Error && { cause: cause.message }) }, code);
  } else log.error({ err: error, route }, error.detail);
}

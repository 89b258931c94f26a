import { ProblemError } from '@authz-service/core/problem';
import { isExpected } from '@authz-service/pdp/transport/problem-document';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import type { Logger } from 'pino';
import type { OutageLog } from './outage-log.js';

/** Statuses of what the service cannot do for a while, whoever asks. */
const OUTAGES: ReadonlySet<number> = new Set([503, 504, 507]);

/** Logs what a caller has not caused: an outage once, with the error behind it, and all else each time. */
export function noteFailure(
  error: unknown,
  route: string,
  { log, outages }: { log: Pick<Logger, 'error'>; outages: OutageLog },
): void {
  if (isExpected(error)) return;
  if (!(error instanceof ProblemError)) log.error({ err: error, route }, 'unexpected error');
  else if (isOutage(error)) {
    const { code, detail, cause } = error;
    outages.failed(
      detail,
      { code, route, ...(cause instanceof Error && { err: cause }) },
      `${code} ${subjectOf(detail)}`,
    );
  } else log.error({ err: error, route }, error.detail);
}

/** Whether others would fail, too: what takes too long by itself is no outage. */
function isOutage({ code, cause }: ProblemError): boolean {
  const status = PROBLEM_STATUS[code];
  return OUTAGES.has(status) && (status !== 504 || cause instanceof Error);
}

/** The beginning of a detail, without names and numbers: it tells causes apart, and not requests. */
function subjectOf(detail: string): string {
  const [subject = ''] = detail.replaceAll(/"[^"]*"|\d+/g, '…').split(/[,:;]/, 1);
  return subject;
}

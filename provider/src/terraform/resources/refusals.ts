import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { type Path, Refusal, refuse } from '../framework/diagnostics.js';
import { Refused, Stopped, Unanswered, type Wish } from './change-queue.js';
import { pathOf } from './judge.js';
import { refusalOf } from './problem-diagnostics.js';

/** What a refusal means for who asked: more than the service can know of Terraform. */
export type Hint = (problem: ProblemError, path: Path | undefined) => string | undefined;

/** Does the work and words what the service, the network or an interrupt have against it for Terraform. */
export async function explained<T>(signal: AbortSignal, work: () => Promise<T>, hint?: Hint): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped)
      throw refuse('Interrupted', 'Terraform was interrupted: this was not begun, and nothing was changed.');
    if (error instanceof Unanswered) {
      throw refuse(
        'Interrupted',
        'Terraform was interrupted, and the service did not answer in time: whether it made the change is not known. Plan again to see.',
      );
    }
    if (error instanceof Refused) {
      const { problem, item, wish } = error;
      const path = item === undefined || item.pointer === '' ? undefined : pathOf(item.pointer);
      const shown = item === undefined ? problem : withDetail(problem, detailOf(item, wish));
      throw refusalOf(shown, path, hint?.(shown, path));
    }
    if (error instanceof ProblemError) throw refusalOf(error);
    if (signal.aborted && !(error instanceof Refusal)) throw interrupted();
    throw error;
  }
}

/** The plan has looked at what mentions a record: this has come or changed since. */
function detailOf({ address, detail }: ProblemItem, wish: Wish): string {
  if (address === undefined || address === wish.address) return detail;
  return `"${address}" would become invalid. ${detail} It was not so when this was planned: plan again to see what there is.`;
}

/** An interrupt before anything was sent that changes something. */
export function interrupted(): Refusal {
  return refuse('Interrupted', 'Terraform was interrupted: nothing was changed.');
}

function withDetail(problem: ProblemError, detail: string): ProblemError {
  const { code, errors, requestId } = problem;
  return new ProblemError(code, detail, errors, requestId === undefined ? {} : { requestId });
}

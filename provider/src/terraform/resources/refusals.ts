import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { type Path, Refusal, refuse } from '../framework/diagnostics.js';
import { type ChangeCommand, Refused, Stopped, Unanswered } from './change-queue.js';
import { pathOf } from './judge.js';
import { refusalOf } from './problem-diagnostics.js';

/** Returns what a refusal means in Terraform, which the service cannot know. */
export type Hint = (problem: ProblemError, path: Path | undefined) => string | undefined;

/** Does the work and translates errors of the service, of the network and of an interrupt for Terraform. */
export async function explained<T>(signal: AbortSignal, work: () => Promise<T>, hint?: Hint): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped)
      throw refuse('Interrupted', 'Terraform was interrupted before this change was sent: nothing was changed.');
    if (error instanceof Unanswered) {
      throw refuse(
        'Interrupted',
        'Terraform was interrupted, and the service did not answer in time: it is not known whether the change was made. Plan again to see.',
      );
    }
    if (error instanceof Refused) {
      const { problem, item, command } = error;
      const path = item === undefined || item.pointer === '' ? undefined : pathOf(item.pointer);
      const shown = item === undefined ? problem : withDetail(problem, detailOf(item, command));
      throw refusalOf(shown, path, hint?.(shown, path));
    }
    if (error instanceof ProblemError) throw refusalOf(error);
    if (signal.aborted && !(error instanceof Refusal)) throw interrupted();
    throw error;
  }
}

/** The plan has checked the records that mention this one: one of them is new or has changed since. */
function detailOf({ address, detail }: ProblemItem, command: ChangeCommand): string {
  if (address === undefined || address === command.address) return detail;
  return `"${address}" would become invalid. ${detail} This has changed since the plan: plan again.`;
}

/** An interrupt before any change was sent. */
export function interrupted(): Refusal {
  return refuse('Interrupted', 'Terraform was interrupted: nothing was changed.');
}

function withDetail(problem: ProblemError, detail: string): ProblemError {
  const { code, errors, requestId } = problem;
  return new ProblemError(code, detail, errors, requestId === undefined ? {} : { requestId });
}

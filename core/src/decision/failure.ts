import type { Failure } from '../conditions/outcome.js';
import { ProblemError } from '../problem.js';
import type { Policy } from './entities.js';

/** The refusal where failed evaluations leave the answer open; the first of `failed` is the one that decides so. */
export function evaluationFailed(failed: readonly { policy: Policy; failure: Failure }[]): ProblemError {
  const items = failed.map(({ policy, failure }) => ({
    pointer: '',
    detail: failure.cause,
    address: `policy/${policy.path}`,
  }));
  const [first] = items;
  return new ProblemError(
    'evaluation_failed',
    `Policy "${first?.address}" could not be evaluated for this request: ${first?.detail}.`,
    items,
    { cause: new Error(first?.detail) },
  );
}

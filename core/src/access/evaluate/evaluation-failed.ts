import { ProblemError } from '../../problem.js';
import type { FailedPolicy } from './combining-algorithm.js';

/** The refusal where failed evaluations leave the answer open; the first of `failed` is the one that decides so. */
export function evaluationFailed(failed: readonly FailedPolicy[]): ProblemError {
  const items = failed.map(({ policy, failure }) => ({
    pointer: '',
    detail: failure.cause,
    address: policy.address,
  }));
  const [first] = items;
  return new ProblemError(
    'evaluation_failed',
    `Policy "${first?.address}" could not be evaluated for this request: ${first?.detail}.`,
    items,
    { cause: new Error(first?.detail) },
  );
}

import type { Decision, Explanation } from '@authz-service/core/decision/api/decision';
import type { Engine } from '@authz-service/core/decision/api/engine';
import type { ProblemError } from '@authz-service/core/problem';
import { shownProblem } from '../transport/problem-document.js';
import type { EndpointCall } from './endpoint.js';
import type { Question } from './question.js';

/**
 * Makes one decision and reports the outcome to the host. It never throws: unexpected errors are problems, too. `index`
 * is the place in a batch.
 */
export function evaluate(
  request: Question,
  engineOf: () => Engine,
  call: EndpointCall,
  index?: number,
): Decision | Explanation | ProblemError {
  let engine: Engine | undefined;
  let startedAt: number | undefined;
  try {
    engine = engineOf();
    startedAt = performance.now();
    const outcome = request.explain ? engine.explain(request, call.now) : engine.decide(request, call.now);
    call.evaluated({ request, outcome, ms: performance.now() - startedAt, index });
    return outcome;
  } catch (error) {
    const outcome = shownProblem(error);
    const ms = startedAt === undefined ? undefined : performance.now() - startedAt;
    call.evaluated({ request, outcome, ms, resourceId: engine?.resourceId(request), index });
    return outcome;
  }
}

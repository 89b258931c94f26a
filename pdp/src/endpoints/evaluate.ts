import type { Decision, Explanation } from '@authz-service/core/access/api/decision';
import type { Budget, Engine } from '@authz-service/core/access/api/engine';
import type { ProblemError } from '@authz-service/core/problem';
import type { DecisionMaxAge } from '../contract/decision-response.js';
import { shownProblem } from '../transport/problem-document.js';
import type { EndpointCall } from './endpoint.js';
import type { ParsedQuestion } from './question.js';

/** A decision, or an explanation, with what its resource type says of the age of records. */
export type Outcome = Decision | (Explanation & { max_age?: DecisionMaxAge });

/**
 * Makes one decision and reports the outcome to the host. It never throws: unexpected errors are problems, too. `index`
 * is the place in a batch.
 */
export function evaluate(
  request: ParsedQuestion,
  engineOf: () => Engine,
  call: EndpointCall,
  index?: number,
): Outcome | ProblemError {
  let engine: Engine | undefined;
  let startedAt: number | undefined;
  try {
    engine = engineOf();
    const budget = engine.budgetOf(request.resource.type);
    const ageMs = budget && call.ageWithin(budget);
    startedAt = performance.now();
    const max_age = budget && ageMs !== undefined ? maxAgeIn(budget, ageMs) : undefined;
    const outcome: Outcome = request.explain
      ? { ...engine.explain(request, call.now), ...(max_age && { max_age }) }
      : engine.decide(request, call.now);
    call.evaluated({ request, outcome, ms: performance.now() - startedAt, index });
    return outcome;
  } catch (error) {
    const outcome = shownProblem(error);
    const ms = startedAt === undefined ? undefined : performance.now() - startedAt;
    call.evaluated({ request, outcome, ms, resourceId: engine?.resourceId(request), index });
    return outcome;
  }
}

function maxAgeIn({ of, maxAgeMs }: Budget, ageMs: number): DecisionMaxAge {
  return { of, seconds: maxAgeMs / 1000, age_seconds: Math.max(0, Math.round(ageMs)) / 1000 };
}

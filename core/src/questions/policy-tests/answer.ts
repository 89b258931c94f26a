import type { Decision } from '../../access/api/decision.js';
import type { Engine } from '../../access/api/engine.js';
import { ProblemError } from '../../problem.js';
import type { DecisionRequest } from '../../request.js';
import type { Expectation } from './cases.js';

/** The answer to one question of a test. */
export interface TestAnswer {
  outcome: 'allow' | 'deny' | 'failure';
  reason: string;
  /** The path of the deciding policy. */
  policy: string | undefined;
}

export function answerOf(engine: Engine, request: DecisionRequest, now: number): TestAnswer {
  let decision: Decision;
  try {
    decision = engine.decide(request, now);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { outcome: 'failure', reason: error.detail, policy: undefined };
  }
  const { reason, policy } = decision;
  return { outcome: decision.decision ? 'allow' : 'deny', reason, policy: policy?.slice('policy/'.length) };
}

export function meets({ outcome, reason, policy }: TestAnswer, wanted: Expectation): boolean {
  return (
    wanted.expect === outcome &&
    (wanted.policy === undefined || wanted.policy === policy) &&
    (wanted.reason === undefined || reason.includes(wanted.reason))
  );
}

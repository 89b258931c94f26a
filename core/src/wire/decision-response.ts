import type { AccessPathKind, Decision, ExplainedCandidate, Explanation } from '../decision/api/decision.js';

/** The body of an answered decision (spec 2.3, AuthZEN 1.0). */
export interface DecisionResponse {
  decision: boolean;
  context: {
    reason: string;
    /** The id of the deciding policy, of an allow or of a deny; absent when none applied. */
    policy_id?: string;
    access_path: AccessPathKind;
    /** Only on request: every policy that came into question, and why it did or did not apply. */
    explanation?: { candidates: ExplainedCandidate[] };
  };
}

export function decisionResponse(answer: Decision | Explanation): DecisionResponse {
  const context: DecisionResponse['context'] =
    answer.policy_id === undefined
      ? { reason: answer.reason, access_path: answer.access_path }
      : { reason: answer.reason, policy_id: answer.policy_id, access_path: answer.access_path };
  if ('candidates' in answer) context.explanation = { candidates: answer.candidates };
  return { decision: answer.decision, context };
}

/**
 * The same as JSON text. Written by hand where nothing is explained: `JSON.stringify` takes longer for an object in an
 * object than the decision took.
 */
export function decisionText(answer: Decision | Explanation): string {
  if ('candidates' in answer) return JSON.stringify(decisionResponse(answer));
  const { decision, reason, policy_id, access_path } = answer;
  const policy = policy_id === undefined ? '' : `"policy_id":${JSON.stringify(policy_id)},`;
  return `{"decision":${decision},"context":{"reason":${JSON.stringify(reason)},${policy}"access_path":"${access_path}"}}`;
}

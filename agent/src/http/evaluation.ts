import type { Decision } from '@authz-service/core/decision/api/decision';
import type { Engine } from '@authz-service/core/decision/api/engine';
import { ProblemError } from '@authz-service/core/problem';
import type { ParsedDecisionRequest } from '@authz-service/core/wire/decision-request';
import type { DecisionLog } from '../decision-log.js';
import type { Logger } from '../log.js';
import type { AgentMetrics } from '../metrics.js';
import type { AgentState } from '../state.js';

export interface DecisionOptions {
  state: AgentState;
  metrics: AgentMetrics;
  log: Logger;
  /** Absent when decisions are not to be logged. */
  decisionLog?: DecisionLog | undefined;
}

/** One question to the engine, and what became known of it on the way. */
export class Evaluation {
  asked: ParsedDecisionRequest | undefined;
  /** The id of the record that the resource was found as, where there is no decision to tell it. */
  resourceId: string | undefined;
  /** Evaluation time, in milliseconds; absent when it came to none. */
  ms: number | undefined;

  /** Never throws: what is not foreseen is a refusal, too. */
  answer(engine: Engine, asked: ParsedDecisionRequest, now: number): Decision | ProblemError {
    this.asked = asked;
    const startedAt = performance.now();
    try {
      const decision = asked.explain ? engine.explain(asked, now) : engine.decide(asked, now);
      this.ms = performance.now() - startedAt;
      return decision;
    } catch (error) {
      this.ms = performance.now() - startedAt;
      this.resourceId = engine.resourceId(asked);
      return refusalOf(error);
    }
  }
}

/** What a caller is told of an error. */
export function refusalOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError('internal', 'The request failed inside the agent; its log has the cause.', [], {
    cause: error,
  });
}

/**
 * Counts and logs what became of one question: a refused or failed one as not allowed and without an access path. Only
 * evaluations are timed.
 */
export function account(
  { metrics, decisionLog }: DecisionOptions,
  evaluation: Evaluation,
  outcome: Decision | ProblemError,
): void {
  const refused = outcome instanceof ProblemError;
  const allowed = !refused && outcome.decision;
  metrics.called(allowed, refused ? 'none' : outcome.access_path);
  if (evaluation.ms !== undefined) metrics.evaluated(allowed, evaluation.ms);
  if (decisionLog !== undefined) logDecision(decisionLog, evaluation, outcome);
}

/** Names the shape of the request and not its subject: this log is not asked whether it may hold personal data. */
export function logFailure(
  log: Logger,
  { asked }: Evaluation,
  problem: ProblemError,
  requestId: string | undefined,
): void {
  log.error(
    {
      request_id: requestId,
      code: problem.code,
      error: problem.detail,
      subject_type: asked?.subject.type,
      resource_type: asked?.resource.type,
      action: asked?.action.name,
      // The detail of a condition's failure says all; where the fault is the program's own, the stack leads to it.
      ...(problem.code === 'internal' ? { err: problem.cause } : {}),
    },
    'evaluation failed: the bundle is loaded, but the decision fails for a request of this shape',
  );
}

function logDecision(
  decisionLog: DecisionLog,
  { asked, resourceId, ms }: Evaluation,
  outcome: Decision | ProblemError,
): void {
  const refused = outcome instanceof ProblemError;
  decisionLog.write({
    subjectId: asked?.subject.id ?? '',
    resourceId: (refused ? resourceId : outcome.resource_id) ?? asked?.resource.id ?? '',
    action: asked?.action.name ?? '',
    decision: refused ? false : outcome.decision,
    reason: refused ? outcome.detail : outcome.reason,
    accessPath: refused ? 'none' : outcome.access_path,
    policyId: (refused ? undefined : outcome.policy_id) ?? '',
    ms: ms ?? 0,
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '@authz-service/core/decision/types';
import { ProblemError } from '@authz-service/core/problem';
import { type ParsedDecisionRequest, parseDecisionRequest } from '@authz-service/core/wire/decision-request';
import { decisionResponse } from '@authz-service/core/wire/decision-response';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import type { DecisionLog } from '../decision-log.js';
import type { Logger } from '../log.js';
import type { AgentMetrics } from '../metrics.js';
import type { AgentState } from '../state.js';
import { readBody } from './body.js';
import { parseJsonBody } from './json-body.js';
import { requestIdOf, sendJson, sendProblem } from './respond.js';

export interface AuthorizeOptions {
  state: AgentState;
  metrics: AgentMetrics;
  log: Logger;
  /** Absent when decisions are not to be logged. */
  decisionLog?: DecisionLog | undefined;
}

/**
 * `POST /v1/authorize` (specification section 4.1). Every call counts once, a refused or failed one as not allowed and
 * without an access path; only evaluations are timed.
 */
export function authorize(options: AuthorizeOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    readBody(request, (body) => {
      const call = new Call(options.state);
      const outcome = call.answer(request.headers['content-type'], body);
      if (outcome instanceof ProblemError) {
        options.metrics.called(false, 'none');
        const requestId = sendProblem(request, response, outcome);
        if (PROBLEM_STATUS[outcome.code] === 500) logFailure(options.log, call, outcome, requestId);
      } else {
        options.metrics.called(outcome.decision, outcome.access_path);
        sendJson(response, decisionResponse(outcome), requestIdOf(request));
      }
      if (call.ms !== undefined)
        options.metrics.evaluated(!(outcome instanceof ProblemError) && outcome.decision, call.ms);
      if (options.decisionLog !== undefined) logDecision(options.decisionLog, call, outcome);
    });
  };
}

/** One call of the endpoint, and what became known of it on the way. */
class Call {
  asked: ParsedDecisionRequest | undefined;
  /** Evaluation time, in milliseconds; absent when it came to none. */
  ms: number | undefined;

  constructor(private readonly state: AgentState) {}

  /** Never throws: what is not foreseen is a refusal, too. */
  answer(contentType: string | undefined, body: Buffer | ProblemError): Decision | ProblemError {
    let startedAt: number | undefined;
    try {
      if (body instanceof ProblemError) return body;
      const engine = this.state.served?.engine;
      if (engine === undefined) return notReady();
      const asked = parseDecisionRequest(parseJsonBody(contentType, body));
      this.asked = asked;
      startedAt = performance.now();
      return asked.explain ? engine.explain(asked, Date.now()) : engine.decide(asked, Date.now());
    } catch (error) {
      if (error instanceof ProblemError) return error;
      return new ProblemError('internal', 'The decision failed inside the agent; its log has the cause.', [], {
        cause: error,
      });
    } finally {
      if (startedAt !== undefined) this.ms = performance.now() - startedAt;
    }
  }
}

function notReady(): ProblemError {
  return new ProblemError(
    'not_ready',
    'The agent has no bundle yet and grants nothing: ask again when /readyz answers 200.',
  );
}

/** Names the shape of the request and not its subject: this log is not asked whether it may hold personal data. */
function logFailure(log: Logger, { asked }: Call, problem: ProblemError, requestId: string): void {
  log.error(
    {
      request_id: requestId,
      code: problem.code,
      error: problem.detail,
      subject_type: asked?.subject.type,
      resource_type: asked?.resource.type,
      action: asked?.action.name,
      ...(problem.cause === undefined ? {} : { err: problem.cause }),
    },
    'evaluation failed: the bundle is loaded, but the decision fails for a request of this shape',
  );
}

function logDecision(decisionLog: DecisionLog, { asked, ms }: Call, outcome: Decision | ProblemError): void {
  const refused = outcome instanceof ProblemError;
  decisionLog.write({
    subjectId: asked?.subject.id ?? '',
    resourceId: (refused ? undefined : outcome.resource_id) ?? asked?.resource.id ?? '',
    action: asked?.action.name ?? '',
    decision: refused ? false : outcome.decision,
    reason: refused ? outcome.detail : outcome.reason,
    accessPath: refused ? 'none' : outcome.access_path,
    policyId: (refused ? undefined : outcome.policy_id) ?? '',
    ms: ms ?? 0,
  });
}

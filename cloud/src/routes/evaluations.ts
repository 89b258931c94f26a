import type { Decision, Explanation } from '@authz-service/core/decision/api/decision';
import type { Engine } from '@authz-service/core/decision/api/engine';
import { ProblemError } from '@authz-service/core/problem';
import { AUTHZEN_PATHS } from '@authz-service/core/wire/authzen-configuration';
import { evaluationsRequestSchema, evaluationsResponseSchema } from '@authz-service/core/wire/authzen-schema';
import { MIB } from '@authz-service/core/wire/body-bytes';
import type { ParsedDecisionRequest } from '@authz-service/core/wire/decision-request';
import { decisionResponse } from '@authz-service/core/wire/decision-response';
import { parseEvaluations } from '@authz-service/core/wire/evaluations-request';
import { answerEvaluations } from '@authz-service/core/wire/evaluations-response';
import type { Logger } from 'pino';
import type { Cloud } from '../cloud.js';
import { isExpected, shownProblem } from '../http/problem-reply.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

/** `POST /access/v1/evaluations` (AuthZEN 1.0 section 7): several decisions of one revision in one request. */
export function evaluationsRoute(cloud: Cloud): Route {
  return secured({
    method: 'POST',
    path: AUTHZEN_PATHS.evaluations,
    anyOf: ['decisions'],
    body: {
      limitBytes: MIB,
      schema: evaluationsRequestSchema,
      parse: parseEvaluations,
      wrongType: 'invalid_request',
    },
    operation: {
      id: 'evaluateAccessBatch',
      summary: 'Decide several questions; without `evaluations`, the one that the request is.',
      tag: 'decisions',
      responses: {
        200: {
          description: 'The decisions in order; a question that could not be decided is a denial with its error.',
          schema: evaluationsResponseSchema,
        },
      },
      problems: ['ambiguous_name', 'evaluation_failed'],
    },
    handle: async ({ credential, body, now, log }) => {
      const tenant = await cloud.tenants.get(credential.tenant);
      if (!('items' in body)) return json(200, decisionResponse(decide(cloud, tenant.engine, body, now)));
      const answered = await tenant.reading(({ engine }) => {
        const steps = answerEvaluations(body, (item) => {
          if (item instanceof ProblemError) return item;
          try {
            return decide(cloud, engine, item, now);
          } catch (error) {
            return told(error, log);
          }
        });
        return cloud.turns.run(steps);
      });
      return json(200, answered);
    },
  });
}

function decide(cloud: Cloud, engine: Engine, asked: ParsedDecisionRequest, now: number): Decision | Explanation {
  const answer = asked.explain ? engine.explain(asked, now) : engine.decide(asked, now);
  cloud.metrics.decisions.inc({ allowed: String(answer.decision), access_path: answer.access_path });
  return answer;
}

/** What the caller may know of a failure; the log has its cause. */
function told(error: unknown, log: Logger): ProblemError {
  const problem = shownProblem(error);
  if (!isExpected(error)) log.error({ err: error, route: AUTHZEN_PATHS.evaluations }, problem.detail);
  return problem;
}

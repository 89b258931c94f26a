import { AUTHZEN_PATHS } from '@authz-service/core/wire/authzen-configuration';
import { MIB } from '@authz-service/core/wire/body-bytes';
import { parseDecisionRequest } from '@authz-service/core/wire/decision-request';
import { decisionResponse } from '@authz-service/core/wire/decision-response';
import { decisionRequestSchema, decisionResponseSchema } from '@authz-service/core/wire/decision-schema';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

/**
 * `POST /v1/authorize` (spec 4.1), the one route that every request of a production day takes, and the same under the
 * path of AuthZEN 1.0 (section 10.1).
 */
export function authorizeRoutes(cloud: Cloud): Route[] {
  return [
    decisionRoute(cloud, '/v1/authorize', 'authorize'),
    decisionRoute(cloud, AUTHZEN_PATHS.evaluation, 'evaluateAccess'),
  ];
}

function decisionRoute(cloud: Cloud, path: string, id: string): Route {
  return secured({
    method: 'POST',
    path,
    anyOf: ['decisions'],
    body: {
      limitBytes: MIB,
      schema: decisionRequestSchema,
      parse: parseDecisionRequest,
      wrongType: 'invalid_request',
    },
    operation: {
      id,
      summary: 'Decide whether a subject may do an action on a resource.',
      tag: 'decisions',
      responses: {
        200: { description: 'The decision; a denial is one too.', schema: decisionResponseSchema },
      },
      problems: ['ambiguous_name', 'evaluation_failed'],
    },
    handle: async ({ credential, body, now }) => {
      const { engine } = await cloud.tenants.get(credential.tenant);
      const answer = body.explain ? engine.explain(body, now) : engine.decide(body, now);
      cloud.metrics.decisions.inc({ allowed: String(answer.decision), access_path: answer.access_path });
      return json(200, decisionResponse(answer));
    },
  });
}

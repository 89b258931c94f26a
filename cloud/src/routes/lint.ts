import type { JsonObject } from '@authz-service/core/json/json';
import { LINT_RULES, type LintRule } from '@authz-service/core/questions/lint/lint-finding';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';

const LISTED_MAX = 100;

const findingsSchema = z.strictObject({
  total: z.int(),
  findings: z
    .array(
      z.strictObject({
        rule: z.enum(Object.keys(LINT_RULES) as LintRule[]),
        certainty: z.enum(['proven', 'suspected']),
        address: z.string(),
        detail: z.string(),
      }),
    )
    .meta({ description: `The proven ones first; at most ${LISTED_MAX} are listed.` }),
});

/** Routes for the findings of "servicectl lint" in the records of the tenant. */
export function lintRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'GET',
      path: '/console/api/lint',
      anyOf: ['records:read'],
      query: z.strictObject({
        revision: z.string().max(100).meta({ description: 'The newest one; another one is answered with 409.' }),
      }),
      operation: {
        id: 'lintRecords',
        summary: 'What in the records is unused, and likely mistakes.',
        tag: 'console',
        responses: { 200: { description: 'The findings.', schema: findingsSchema } },
        problems: ['stale_base', 'timeout', 'too_many_requests'],
      },
      handle: async ({ credential, query: { revision }, now, signal }) => {
        const tenant = await cloud.tenants.get(credential.tenant);
        const lint = { now, listedMax: LISTED_MAX };
        const found = await cloud.analyzer.lint(tenant, revision, lint, { credential, signal });
        return json(200, found as unknown as JsonObject);
      },
    }),
  ];
}

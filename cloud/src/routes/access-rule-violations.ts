import type { JsonObject } from '@authz-service/core/json/json';
import { existingViolations } from '@authz-service/core/questions/access-rules/judge-rules';
import { violationText } from '@authz-service/core/questions/access-rules/violation';
import { RULE_FORMS } from '@authz-service/core/records/access-rule';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { atOneRevision } from '../commands/at-one-revision.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

/** The violations listed of each rule. */
const LISTED_MAX = 20;

const properties = z.record(z.string(), z.json()).optional();
const witnessSchema = z.strictObject({
  request: z.strictObject({
    subject: z.strictObject({ type: z.string(), id: z.string(), properties, roles: z.array(z.string()).optional() }),
    resource: z.strictObject({ type: z.string(), name: z.string(), properties }),
    action: z.strictObject({ name: z.string(), properties }),
    context: properties,
  }),
  now: z.iso.datetime().meta({ description: 'The instant of the request.' }),
});
const violationsSchema = z.strictObject({
  revision: z.string(),
  violations: z.array(
    z.strictObject({
      rule: z.string().meta({ description: 'The address of the rule.' }),
      form: z.enum(RULE_FORMS),
      mode: z.enum(['enforce', 'warn']),
      detail: z.string(),
      witness: z
        .array(witnessSchema)
        .meta({ description: 'A request that breaks the rule; of `separate` one for each of two actions.' }),
      proven: z.boolean().meta({ description: 'False where it cannot be said whether a request breaks the rule.' }),
    }),
  ),
  more: z
    .boolean()
    .meta({ description: `Whether a rule has more violations: at most ${LISTED_MAX} of each are listed.` }),
});

export function accessRuleViolationRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/access-rule-violations',
      anyOf: ['records:read'],
      operation: {
        id: 'listAccessRuleViolations',
        summary: 'What breaks access rules as the records are now. It stands, and blocks no change.',
        tag: 'access_rule',
        responses: { 200: { description: 'The violations.', schema: violationsSchema } },
      },
      handle: async ({ credential, now }) => {
        const tenant = await cloud.tenants.get(credential.tenant);
        const look = () => existingViolations(tenant.state, now, LISTED_MAX + 1);
        const { revision, found } = await atOneRevision(cloud, tenant, look);
        const listed = found.filter(
          (violation, index) => found.slice(0, index).filter(({ rule }) => rule === violation.rule).length < LISTED_MAX,
        );
        cloud.metrics.existingViolations.set({ tenant: tenant.id }, listed.length);
        const violations = listed.map((violation) => ({
          rule: violation.rule,
          form: violation.form,
          mode: violation.mode,
          detail: violationText(violation),
          witness: violation.witness,
          proven: violation.proven,
        }));
        return json(200, { revision, violations, more: listed.length < found.length } as unknown as JsonObject);
      },
    }),
  ];
}

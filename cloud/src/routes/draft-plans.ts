import type { JsonObject } from '@authz-service/core/json/json';
import { type Violation, violationText } from '@authz-service/core/questions/access-rules/violation';
import { nameText } from '@authz-service/core/records/fields';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import { draftTexts } from '../analysis/draft-texts.js';
import type { Cloud } from '../cloud.js';
import { LISTED_MAX } from '../commands/compare-revisions.js';
import { CONSOLE_STACK } from '../console/guard-session.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';
import { changeSchema, parseChanges } from './changesets.js';

const CHANGES_MAX = 10_000;

const draftSchema = z.strictObject({
  base_revision: z.string().max(100).meta({
    description: 'The revision that the changes are for; if the tenant has another one, the answer is 409.',
  }),
  stack: nameText.meta({ description: 'The stack that the changes belong to.' }),
  changes: z.array(changeSchema).max(CHANGES_MAX),
});
const parse = parserOf(draftSchema.extend({ changes: z.array(z.unknown()).max(CHANGES_MAX) }));

const planSchema = z.looseObject({
  format: z.literal(1),
  base_revision: z.string(),
  changes: z.array(z.looseObject({ action: z.string(), address: z.string() })),
  counts: z.strictObject({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() }),
  access: z.looseObject({ findings: z.array(z.looseObject({})) }).meta({
    description: `The changes in who may do what; the worst ${LISTED_MAX} findings.`,
  }),
  finding_count: z.int(),
  texts: z
    .strictObject({ yaml: z.string(), hcl: z.string().optional() })
    .optional()
    .meta({ description: 'The changed records to copy, as a tree and as Terraform declares them; of up to 50.' }),
  violations: z.array(z.looseObject({ rule: z.string(), mode: z.enum(['enforce', 'warn']), detail: z.string() })),
});

export function draftPlanRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'POST',
      path: '/console/api/draft-plans',
      anyOf: ['records:read'],
      body: { limitBytes: 8 * MIB, schema: draftSchema, parse, wrongType: 'unsupported_media_type' },
      operation: {
        id: 'planDraft',
        summary: 'What changes would do to records, access and access rules: the document of "servicectl plan --json".',
        tag: 'console',
        responses: { 200: { description: 'The plan. Nothing is changed.', schema: planSchema } },
        problems: [
          'conflict',
          'invalid_records',
          'not_owner',
          'outside_limits',
          'stale_base',
          'timeout',
          'too_many_requests',
        ],
      },
      handle: async ({ credential, body, now, signal }) => {
        const { id, name, limits } = credential;
        const tenant = await cloud.tenants.get(credential.tenant);
        const changes = await cloud.slicing.run(parseChanges(body.changes), tenant.id);
        const writer = limits && { name: name || id, limits };
        const inConsole =
          credential.session !== undefined && body.stack === CONSOLE_STACK
            ? { applications: limits?.applications ?? [] }
            : undefined;
        const limited = { ...(writer && { writer }), ...(inConsole && { inConsole }) };
        const draft = { stack: body.stack, changes, now, listedMax: LISTED_MAX, ...limited };
        const { violations, ...plan } = await cloud.analyzer.plan(tenant, body.base_revision, draft, {
          credential,
          signal,
        });
        const texts = await draftTexts(plan, tenant.state, cloud.writeHcl);
        const answer = { ...plan, ...(texts && { texts }), violations: violations.map(shownViolation) };
        return json(200, answer as unknown as JsonObject);
      },
    }),
  ];
}

/** A violation with its text. */
export function shownViolation(violation: Violation): object {
  const { rule, form, mode, witness, proven } = violation;
  return { rule, form, mode, detail: violationText(violation), witness, proven };
}

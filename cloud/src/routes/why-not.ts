import type { JsonObject } from '@authz-service/core/json/json';
import type { VerifiedProposal } from '@authz-service/core/questions/why-not/why-not';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { type Change, NOBODY } from '@authz-service/core/state/change';
import { decisionRequestSchema } from '@authz-service/pdp/contract/decision-request';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { parseQuestion } from '@authz-service/pdp/endpoints/question';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { CONSOLE_STACK } from '../console/guard-session.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';
import { changeSchema } from './changesets.js';

const askedSchema = z.strictObject({
  base_revision: z.string().max(100).meta({
    description: 'The revision that the question was denied at; if the tenant has another one, the answer is 409.',
  }),
  question: decisionRequestSchema,
});
const parse = parserOf(askedSchema);

const answerSchema = z.strictObject({
  allowed: z.boolean().meta({ description: 'Whether it is allowed as it is; then there are no proposals.' }),
  reason: z.string(),
  ask: z
    .strictObject({
      condition: z.string().optional().meta({
        description: 'The condition on requests under which it is allowed as the records are; absent if there is none.',
      }),
      requests: z.array(
        z.strictObject({
          summary: z.string(),
          sends: z.record(z.string(), z.json()).meta({
            description: 'Values by the names that conditions have for them, like `context.mfa`.',
          }),
        }),
      ),
    })
    .meta({ description: 'Requests that the caller could send and that are allowed without any change.' }),
  proposals: z
    .array(
      z.strictObject({
        summary: z.string(),
        removes_protection: z.boolean().meta({
          description: 'Whether it takes away a DENY, a link to one, or something that an ALLOW requires.',
        }),
        changes: z.array(changeSchema),
        stack: z.string().optional().meta({
          description: 'Whose records it changes or removes, if these are all of one stack.',
        }),
        parts: z
          .array(z.strictObject({ stack: z.string(), changes: z.array(changeSchema) }))
          .optional()
          .meta({
            description:
              'The changes by the stack that makes them, if they are of several: each is a change document of its own.',
          }),
        grants: z.int().meta({
          description: 'How many other recorded triples of subject, action and resource it would allow.',
        }),
        exact: z.boolean().meta({ description: 'Whether that number is exact, and not an upper bound.' }),
        beyond_records: z.boolean().meta({
          description: 'Whether it also grants to what has no record, or at other times.',
        }),
        breaks: z.array(z.strictObject({ rule: z.string(), mode: z.enum(['enforce', 'warn']), detail: z.string() })),
      }),
    )
    .meta({
      description:
        'Those that grant least besides come first, then those that take away a protection, and what an access rule would refuse last.',
    }),
  not_weighed: z.int().meta({
    description: 'How many more would allow it whose further effect was not computed.',
  }),
});

export function whyNotRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'POST',
      path: '/console/api/why-not',
      anyOf: ['records:read'],
      body: { limitBytes: MIB, schema: askedSchema, parse, wrongType: 'unsupported_media_type' },
      operation: {
        id: 'findWhyNot',
        summary: 'The smallest changes that would allow a denied question, each confirmed by the engine.',
        tag: 'console',
        responses: { 200: { description: 'The proposals. Nothing is changed.', schema: answerSchema } },
        problems: ['stale_base', 'timeout', 'too_many_requests'],
      },
      handle: async ({ credential, body: asked, now, signal }) => {
        const { explain: _, ...request } = parseQuestion(asked.question);
        const tenant = await cloud.tenants.get(credential.tenant);
        const answer = await cloud.analyzer.whyNot(
          tenant,
          asked.base_revision,
          { request, now },
          { credential, signal },
        );
        const { allowed, reason, ask, proposals, not_weighed } = answer;
        const body = { allowed, reason, ask, proposals: proposals.map(shown), not_weighed };
        return json(200, body as unknown as JsonObject);
      },
    }),
  ];
}

function shown(proposal: VerifiedProposal): object {
  const { summary, changes, grants, exact, beyond_records, breaks, removes_protection = false } = proposal;
  const records = { changes: changes.flatMap(changeOf), ...ownerOf(changes) };
  return { summary, removes_protection, ...records, grants, exact, beyond_records, breaks };
}

/** Whose records the changes touch. What is created belongs to nobody yet: it goes along with the first. */
function ownerOf(changes: VerifiedProposal['changes']): { stack?: string; parts?: object[] } {
  const owned = changes.map((change) => {
    const owner = (change.before as Partial<StoredRecord> | undefined)?.managed_by;
    return { change, stack: owner === NOBODY ? CONSOLE_STACK : owner };
  });
  const [stack, ...others] = new Set(owned.flatMap(({ stack }) => stack ?? []));
  if (stack === undefined || others.length === 0) return stack === undefined ? {} : { stack };
  const parts = [stack, ...others].map((owner) => ({
    stack: owner,
    changes: owned.filter((one) => (one.stack ?? stack) === owner).flatMap(({ change }) => changeOf(change)),
  }));
  return { parts };
}

/** A proposed change, as change-sets and drafts take it. */
function changeOf({ before, after }: VerifiedProposal['changes'][number]): Change[] {
  if (before === undefined)
    return after === undefined
      ? []
      : [{ op: 'create', kind: after.kind, fields: after.fields as Record<string, unknown> }];
  if (after === undefined) return [{ op: 'delete', address: before.address }];
  return [{ op: 'update', address: before.address, fields: after.fields as Record<string, unknown> }];
}

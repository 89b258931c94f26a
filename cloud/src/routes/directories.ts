import type { JsonObject } from '@authz-service/core/json/json';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import * as z from 'zod';
import { demandUnlimited } from '../auth/credential.js';
import { ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import { adoptForDirectory } from '../commands/adopt-for-directory.js';
import { findRecord } from '../commands/find-record.js';
import { directoryStatus, statusJson } from '../directories/directory-status.js';
import { planOperations, type ScimOperation } from '../directories/plan-operations.js';
import { json } from '../http/reply.js';
import { type BodyRule, chargeCommit, type Route, type SecuredCall, secured } from '../http/route.js';
import { shownViolation } from './draft-plans.js';

const ADOPTED_MAX = 1000;
const OPERATIONS_MAX = 200_000;

const count = z.int().min(0);
const statusSchema = z.strictObject({
  name: z.string(),
  subjects: count,
  groups: count,
  memberships: count,
  last_sync: z.iso.datetime().optional().meta({
    description: 'When a key of the directory was last used; absent if none ever was.',
  }),
  taken_away: z
    .strictObject({ people: count, renamed: count, memberships: count, groups: count, suspended: count })
    .meta({ description: 'The losses by the directory in the last hour, as the brake counts them.' }),
  held_count: count.meta({ description: 'How many changes the brake holds.' }),
  held: z
    .array(
      z.strictObject({
        id: z.string().meta({ description: 'SHA-256 over the changes.' }),
        braked: z.string().meta({ description: 'The field of the directory that holds them.' }),
        detail: z.string(),
        records: z
          .array(z.string())
          .meta({ description: 'The addresses of the first 10 records that they are about.' }),
        state: z.enum(['held', 'released', 'discarded']),
        first_at: z.iso.datetime(),
        last_at: z.iso.datetime(),
      }),
    )
    .meta({
      description: 'At most 100: what is held, the oldest first, and then what was decided on in the last 24 hours.',
    }),
  access: z.looseObject({}).optional().meta({
    description:
      'The effect on access of letting all of it through, or why that is not known; absent if nothing is held, or nobody asked.',
  }),
});

const statusQuery = z.strictObject({
  access: z.enum(['true', 'false']).optional().meta({
    description: 'Whether to say what letting through what is held would do to access, which takes a while.',
  }),
});

const decisionSchema = z.strictObject({
  decision: z.enum(['release', 'discard']).meta({
    description:
      '`release` lets through what is held now when the directory asks for it again; `discard` refuses that with 409. Both count for 24 hours.',
  }),
});
const decidedSchema = z.strictObject({ decided: count.meta({ description: 'How many held changes these were.' }) });

const adoptionSchema = z.strictObject({
  addresses: z
    .array(z.string().min(1).max(2000))
    .min(1, 'must name a record')
    .max(ADOPTED_MAX)
    .meta({ description: 'The addresses of subjects, groups and memberships.' }),
  base_revision: z.string().max(100).optional().meta({
    description: 'The revision that they were looked at; if the tenant has another one, the answer is 409.',
  }),
});
const adoptedSchema = z.strictObject({
  revision: z.string(),
  adopted: z.array(z.strictObject({ address: z.string(), taken_from: z.string() })),
});

const operationsSchema = z.strictObject({
  operations: z
    .array(
      z.strictObject({
        method: z.enum(['POST', 'PUT', 'DELETE']),
        path: z.string().max(2000).meta({ description: '`/Users`, `/Groups`, or one of them with an id.' }),
        bulkId: z.string().max(2000).optional().meta({
          description: 'The name of what it makes: another operation has "bulkId:NAME" as the id of a member.',
        }),
        data: z.record(z.string(), z.json()).optional(),
      }),
    )
    .max(OPERATIONS_MAX)
    .meta({ description: 'Requests of SCIM, in the form of a bulk request (RFC 7644 section 3.7).' }),
});
const operationsPlanSchema = z.strictObject({
  base_revision: z.string(),
  refused: z.array(z.strictObject({ operation: count, detail: z.string() })).meta({
    description: 'The operations that the mapping would refuse or the brake hold now, by their positions.',
  }),
  violations: z
    .array(z.looseObject({ rule: z.string(), mode: z.enum(['enforce', 'warn']), detail: z.string() }))
    .meta({ description: 'The access rules that the others would break together.' }),
  access: z.looseObject({}).meta({ description: 'The effect of the others on access, or why that is not known.' }),
});

/** Routes by which operators deal with what the brake of a directory holds, and hand records over to a directory. */
export function directoryRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/directories/{id}/status',
      anyOf: ['records:read'],
      query: statusQuery,
      operation: {
        id: 'readDirectoryStatus',
        summary: 'What a directory holds, when it last sent something, and what its brake holds.',
        tag: 'directory',
        responses: { 200: { description: 'The status.', schema: statusSchema } },
        problems: ['not_found', 'timeout', 'too_many_requests'],
      },
      handle: async ({ credential, params, query, now, signal }) => {
        const name = await nameOf(cloud, credential.tenant, params.id);
        return json(
          200,
          statusJson(await directoryStatus(cloud, name, { credential, now, signal, access: query.access === 'true' })),
        );
      },
    }),
    secured<undefined, z.output<typeof decisionSchema>>({
      method: 'POST',
      path: '/v1/directories/{id}/held-changes',
      anyOf: ['records:write'],
      body: bodyOf(decisionSchema),
      writes: true,
      operation: {
        id: 'decideHeldChanges',
        summary: 'Let through or discard what the brake of a directory holds now.',
        tag: 'directory',
        responses: { 200: { description: 'The number of changes.', schema: decidedSchema } },
        problems: ['not_found', 'outside_limits'],
      },
      handle: async ({ credential, params, body, now, log }) => {
        demandUnlimited(credential);
        const directory = ownerOf(await nameOf(cloud, credential.tenant, params.id));
        const decision = body.decision === 'release' ? 'released' : 'discarded';
        const at = new Date(now).toISOString();
        const decided = await cloud.store.decideHeld(credential.tenant, directory, decision, at);
        log.warn({ tenant: credential.tenant, directory, by: credential.name, decided }, `held changes ${decision}`);
        return json(200, { decided });
      },
    }),
    secured<undefined, z.output<typeof operationsSchema>>({
      method: 'POST',
      path: '/v1/directories/{id}/plans',
      anyOf: ['records:read'],
      body: { ...bodyOf(operationsSchema), limitBytes: 64 * MIB },
      operation: {
        id: 'planDirectoryOperations',
        summary: 'What requests of SCIM would do to access and access rules. Nothing is changed.',
        tag: 'directory',
        responses: { 200: { description: 'The plan.', schema: operationsPlanSchema } },
        problems: ['not_found', 'stale_base', 'timeout', 'too_many_requests'],
      },
      handle: async ({ credential, params, body, now, signal }) => {
        const name = await nameOf(cloud, credential.tenant, params.id);
        const operations = body.operations as ScimOperation[];
        const { violations, ...plan } = await planOperations(cloud, name, operations, { credential, now, signal });
        return json(200, { ...plan, violations: violations.map(shownViolation) } as unknown as JsonObject);
      },
    }),
    secured<undefined, z.output<typeof adoptionSchema>>({
      method: 'POST',
      path: '/v1/directories/{id}/adopted-records',
      anyOf: ['records:write'],
      body: bodyOf(adoptionSchema),
      writes: true,
      operation: {
        id: 'adoptForDirectory',
        summary: 'Hand subjects, groups and memberships of other owners over to a directory.',
        tag: 'directory',
        responses: {
          200: {
            description: 'The records, with the owners that they had.',
            schema: adoptedSchema,
            headers: { [REVISION_HEADER]: 'The revision with the change, for `Service-Min-Revision`.' },
          },
        },
        problems: ['access_rule_violated', 'conflict', 'not_found', 'outside_limits', 'stale_base'],
      },
      handle: async (call: SecuredCall<undefined, z.output<typeof adoptionSchema>>) => {
        const { credential, params, body, requestId, now, charge } = call;
        const { addresses, base_revision: baseRevision } = body;
        const done = await adoptForDirectory(cloud, {
          directory: await nameOf(cloud, credential.tenant, params.id),
          addresses,
          ...(baseRevision !== undefined && { baseRevision }),
          credential,
          requestId,
          now,
          charge: (changes) => chargeCommit(charge, changes),
        });
        const { revision, adopted } = done;
        return json(200, { revision, adopted: adopted.map((one) => ({ ...one })) }, { [REVISION_HEADER]: revision });
      },
    }),
  ];
}

async function nameOf(cloud: Cloud, tenantId: string, id = ''): Promise<string> {
  const { state } = await cloud.tenants.get(tenantId);
  const record = findRecord(state, 'directory', id);
  return record.kind === 'directory' ? record.fields.name : id;
}

function bodyOf<T>(schema: z.ZodType<T>): BodyRule<T> {
  return { limitBytes: MIB, schema, parse: parserOf(schema), wrongType: 'unsupported_media_type' };
}

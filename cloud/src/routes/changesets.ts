import { createHash } from 'node:crypto';
import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import { canonicalJson } from '@authz-service/core/json/json';
import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { ProblemError } from '@authz-service/core/problem';
import { nameText } from '@authz-service/core/records/fields';
import { type Fault, issueFaults } from '@authz-service/core/records/issue-faults';
import { KINDS } from '@authz-service/core/records/kinds';
import type { Change } from '@authz-service/core/state/change';
import { malformed, parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import * as z from 'zod';
import { WRITING_SCOPES } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { commit } from '../commands/commit.js';
import { hashChosenSecrets } from '../commands/hash-chosen-secrets.js';
import { json } from '../http/reply.js';
import { chargeCommit, type Route, secured } from '../http/route.js';
import { originsInChangeset, readDeclaredOrigins, unreadOriginsSchema } from './declared-origins.js';

const address = z.string().min(1).max(4096);
const fields = z.record(z.string(), z.json());
const secret = z.string().max(1024).optional().meta({
  description: 'A secret that the caller chooses for a credential; it replaces the former one. Never shown.',
});

export const changeSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('create'), kind: z.enum(KINDS), fields, secret }),
  z.strictObject({ op: z.literal('update'), address, fields, secret }),
  z.strictObject({ op: z.literal('delete'), address }),
  z.strictObject({ op: z.literal('move'), from: address, to: address }),
  z.strictObject({ op: z.literal('adopt'), address }),
]);

const CHANGES_MAX = 1_000_000;

const changesetSchema = z.strictObject({
  base_revision: z.string().max(100).optional().meta({
    description: 'The revision that the changes were made for; if the tenant has another one, the answer is 409.',
  }),
  stack: nameText.optional().meta({
    description: 'The stack that makes the change: it owns the records it creates, and changes only its own.',
  }),
  take_ownership: z.boolean().optional().meta({ description: 'Take over records of other stacks.' }),
  exclusive: z.boolean().optional().meta({
    description: 'Allow deletions of links of other stacks that grant a role, policy or group of this stack.',
  }),
  origins: originsInChangeset.optional(),
  changes: z.array(changeSchema).max(CHANGES_MAX),
});

const item = { address: z.string(), id: z.string() };
const committedSchema = z.strictObject({
  revision: z.string(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  created: z.array(z.strictObject(item)),
  secrets: z
    .array(
      z.union([
        z.strictObject({ ...item, secret: z.string().nullable() }),
        z.strictObject({ ...item, client_id: z.string(), client_secret: z.string().nullable() }),
      ]),
    )
    .meta({ description: 'Shown only once: a repeated request is answered with null instead.' }),
  broken_rules: z
    .array(z.strictObject({ rule: z.string(), mode: z.enum(['enforce', 'warn']), detail: z.string() }))
    .optional()
    .meta({
      description:
        'Access rules that are broken and do not refuse it: they only warn, or are new and broken from the start.',
    }),
});

/** Everything except the changes and the places of records, which are read step by step. */
const parse = parserOf(
  changesetSchema.extend({
    origins: unreadOriginsSchema.optional(),
    changes: z.array(z.unknown()).max(CHANGES_MAX),
  }),
);
/** This takes some tenths of a millisecond. */
const STEP = 50;

export function* parseChanges(values: readonly unknown[]): Generator<undefined, Change[]> {
  const changes: Change[] = [];
  const faults: Fault[] = [];
  yield* eachInSteps(values.entries(), STEP, ([index, value]) => {
    const { data, error } = changeSchema.safeParse(value);
    if (data !== undefined) changes.push(data as Change);
    for (const { pointer, detail } of error === undefined ? [] : issueFaults(changeSchema, error.issues, value))
      faults.push({ pointer: jsonPointer('changes', index) + pointer, detail });
  });
  if (faults.length > 0) throw malformed('The body', faults, ({ pointer }) => pointer);
  return changes;
}

export function changesetRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'POST',
      path: '/v1/changesets',
      anyOf: WRITING_SCOPES,
      body: {
        limitBytes: 64 * MIB,
        schema: changesetSchema,
        parse: (value) => ({ ...parse(value), hash: () => hashOf(value) }),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'commitChangeset',
        summary: 'Change records, all or none, in one revision.',
        tag: 'records',
        responses: {
          200: {
            description: 'The revision that holds the changes.',
            schema: committedSchema,
            headers: { [REVISION_HEADER]: 'That revision, for `Service-Min-Revision`.' },
          },
        },
        problems: [
          'conflict',
          'idempotency_mismatch',
          'invalid_records',
          'not_owner',
          'access_rule_violated',
          'outside_limits',
          'stale_base',
          'too_many_requests',
        ],
        headers: {
          'Idempotency-Key':
            'Identifies this request for 24 hours: if it is sent again, it is not applied a second time and gets the first answer.',
        },
      },
      handle: async ({ credential, body, headers, requestId, now, signal, charge }) => {
        const key = idempotencyKey(headers['idempotency-key']);
        const changes = await cloud.slicing.run(parseChanges(body.changes), credential.tenant);
        const origins = body.origins && (await cloud.slicing.run(readDeclaredOrigins(body.origins), credential.tenant));
        const hashes = await hashChosenSecrets(cloud, { changes, credential, signal });
        const { committed, replayed } = await commit(cloud, {
          changes: () => changes,
          hashes,
          ...(body.stack !== undefined && { stack: body.stack }),
          ...(body.base_revision !== undefined && { baseRevision: body.base_revision }),
          takeOwnership: body.take_ownership ?? false,
          exclusive: body.exclusive ?? false,
          ...(origins && { origins }),
          ...(key !== undefined && { idempotency: { key, requestHash: body.hash() } }),
          credential,
          requestId,
          now,
          charge: (count) => chargeCommit(charge, count),
        });
        const revision = { [REVISION_HEADER]: committed.revision };
        return json(200, committed, replayed ? { ...revision, 'idempotency-replayed': 'true' } : revision);
      },
    }),
  ];
}

/** Distinguishes two requests. It is stored, so it contains no secret: a fast hash of one could be guessed. */
function hashOf(value: unknown): string {
  const { changes, ...rest } = value as z.output<typeof changesetSchema>;
  const told = changes.map((change) => ('secret' in change ? { ...change, secret: true } : change));
  return createHash('sha256')
    .update(canonicalJson({ ...rest, changes: told }))
    .digest('hex');
}

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)))
    return header as string;
  throw new ProblemError(
    'invalid_request',
    'The Idempotency-Key is invalid: send 1 to 255 printable ASCII characters without spaces.',
  );
}

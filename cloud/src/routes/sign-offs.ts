import type { JsonObject } from '@authz-service/core/json/json';
import { actionName } from '@authz-service/core/records/fields';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { changesSinceSignOff, signOff } from '../commands/sign-off.js';
import { pageSchema, paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';
import type { SignOffRow } from '../store/sign-off-store.js';
import { accessChangesSchema, computing, reviewedAccessSchema, reviewedScope, scopeOf } from './access-reviews.js';

const NOTE_LENGTH_MAX = 2000;
const ACTIONS_MAX = 100;
/** The most changes since a sign-off that are stored with it. */
const TO_CHANGE_MAX = 500;

const decision = z.enum(['keep', 'change']).meta({
  description: '`keep`: all of it is as it should be. `change`: some of it needs change.',
});

const wishSchema = z
  .strictObject({
    scope: reviewedScope,
    actions: z.array(actionName).min(1).max(ACTIONS_MAX).optional(),
    revision: z
      .string()
      .regex(/^\d{1,15}\.[0-9a-f]{16}$/, 'must be a revision as the review names it, like "42.9f86d081884c7d65"')
      .meta({ description: 'The revision whose access was looked at.' }),
    as_of: z.iso
      .datetime({ offset: true })
      .meta({ description: 'The clock of what was looked at, as the review names it: from the commit until now.' }),
    decision,
    note: z.string().max(NOTE_LENGTH_MAX).default(''),
    rows_to_change: z
      .array(z.string().max(64))
      .max(TO_CHANGE_MAX)
      .default([])
      .meta({ description: 'The ids of the rows of the review, and of members of rows, that need change.' }),
  })
  .superRefine(({ decision: decided, note, rows_to_change }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (decided === 'keep' && rows_to_change.length > 0)
      refuse(['decision'], 'is "keep" beside rows that need change: write "change"');
    if (decided === 'change' && note.trim() === '' && rows_to_change.length === 0)
      refuse(['note'], 'must say what needs change, unless rows are named');
  });
const parse = parserOf(wishSchema);

const signOffSchema = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  request_id: z.string(),
  person: z.strictObject({ kind: z.enum(['person', 'api_key', 'oauth_client']), id: z.string(), name: z.string() }),
  scope: z.string().meta({ description: 'The address of what was reviewed: `resource_type/billing/invoice`.' }),
  actions: z.array(z.string()).optional(),
  revision: z.string(),
  as_of: z.iso.datetime().meta({ description: 'The clock of what was looked at.' }),
  decision,
  note: z.string(),
  row_count: z.int(),
  rows_digest: z
    .string()
    .meta({ description: 'SHA-256 over the ids of all rows, one a line; they hang on the members of rows, too.' }),
  to_change: z.array(reviewedAccessSchema),
});

export function signOffRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'POST',
      path: '/console/api/sign-offs',
      anyOf: ['records:read'],
      writes: true,
      body: { limitBytes: 64 * 1024, schema: wishSchema, parse, wrongType: 'unsupported_media_type' },
      operation: {
        id: 'signOff',
        summary: 'Records that the signed-in person has reviewed a scope at a revision.',
        tag: 'console',
        responses: { 201: { description: 'The sign-off, which nothing changes or removes.', schema: signOffSchema } },
        problems: ['conflict', ...computing],
      },
      handle: async ({ credential, body, requestId, now, signal, log }) => {
        const { scope, actions, revision, as_of: clock, decision: decided, note, rows_to_change: toChange } = body;
        const asOf = Date.parse(clock);
        const command = {
          scope: scopeOf(scope, actions),
          revision,
          asOf,
          decision: decided,
          note,
          toChange,
          credential,
          requestId,
          now,
        };
        const row = await signOff(cloud, command, signal);
        log.info(
          { sign_off: row.id, scope: row.scope, revision: row.revision, person: row.person },
          'access signed off',
        );
        return json(201, shown(row));
      },
    }),
    signedIn({
      method: 'GET',
      path: '/console/api/sign-offs',
      anyOf: ['records:read'],
      query: z.strictObject({
        scope: z.string().min(1).max(1000).optional().meta({
          description: 'Only those of this scope, by its address: `resource_type/billing/invoice`.',
        }),
        ...paging,
      }),
      operation: {
        id: 'listSignOffs',
        summary: 'Who has signed off which access when, the latest first.',
        tag: 'console',
        responses: { 200: { description: 'The page.', schema: pageSchema(signOffSchema) } },
        problems: ['invalid_cursor'],
      },
      handle: async ({ credential: { tenant }, query: { scope, limit, cursor } }) => {
        const list = [tenant, 'sign-offs', scope ?? ''];
        const [at = '', id = ''] = cursor === undefined ? [] : decodeCursor(list, cursor).split(' ');
        const after = cursor === undefined ? {} : { after: { at, id } };
        const rows = await cloud.store.signOffs(tenant, { scope, ...after, limit: limit + 1 });
        const items = rows.slice(0, limit);
        const last = items.at(-1);
        return json(200, {
          items: items.map(shown),
          ...(last && rows.length > limit && { next_cursor: encodeCursor(list, `${last.at} ${last.id}`) }),
        });
      },
    }),
    signedIn({
      method: 'GET',
      path: '/console/api/sign-offs/{id}/changes',
      anyOf: ['records:read'],
      query: z.strictObject({}),
      operation: {
        id: 'findChangesSinceSignOff',
        summary: 'What has changed in who has access in a scope since it was signed off.',
        tag: 'console',
        responses: {
          200: { description: 'The changes; none where access is as it was.', schema: accessChangesSchema },
        },
        problems: [...computing],
      },
      handle: async ({ credential, params: { id = '' }, now, signal }) => {
        const found = await changesSinceSignOff(cloud, { credential, id, now }, signal);
        return json(200, found as unknown as JsonObject);
      },
    }),
  ];
}

function shown({ tenant: _, ...row }: SignOffRow): JsonObject {
  return row as unknown as JsonObject;
}

import { decodeCursor, encodeCursor } from '@authz-service/core/cursor';
import { revisionText } from '@authz-service/core/state/revision';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { pageSchema, paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const who = z.strictObject({ kind: z.string(), id: z.string(), name: z.string() });

const eventSchema = z.strictObject({
  op: z.enum(['create', 'delete']),
  at: z.iso.datetime(),
  tenant: z.strictObject({ id: z.string(), name: z.string() }),
  request_id: z.string(),
  credential: who,
});

const entrySchema = z.strictObject({
  revision: z.string().meta({ description: 'The revision that the commit made.' }),
  digest: z.string(),
  at: z.iso.datetime(),
  request_id: z.string(),
  credential: who,
  stack: z.string().optional(),
  counts: z.strictObject({ added: z.int(), changed: z.int(), removed: z.int() }),
  changes: z.array(
    z.strictObject({
      op: z.enum(['create', 'update', 'move', 'delete']),
      address: z.string(),
      from: z.string().optional(),
    }),
  ),
  truncated: z.boolean().meta({ description: 'Whether there were more changes than are listed.' }),
});

export function auditRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/audit',
      anyOf: ['records:read'],
      query: z.strictObject(paging),
      operation: {
        id: 'listAudit',
        summary: 'Who committed what in which revision, latest first.',
        tag: 'records',
        responses: { 200: { description: 'The page.', schema: pageSchema(entrySchema) } },
        problems: ['invalid_cursor', 'storage_failed'],
      },
      handle: async ({ credential, query: { limit, cursor } }) => {
        const list = [credential.tenant, 'audit'];
        const before = cursor === undefined ? {} : { before: Number(decodeCursor(list, cursor)) };
        const rows = await cloud.store.audit(credential.tenant, { ...before, limit: limit + 1 });
        const items = rows.slice(0, limit);
        const last = items.at(-1);
        return json(200, {
          items: items.map((row) => ({ ...row, revision: revisionText(row.revision, row.digest) })),
          ...(last && rows.length > limit && { next_cursor: encodeCursor(list, String(last.revision)) }),
        });
      },
    }),
    secured({
      method: 'GET',
      path: '/v1/audit/tenants',
      anyOf: ['operator'],
      query: z.strictObject(paging),
      operation: {
        id: 'listTenantAudit',
        summary: 'Who created and removed which tenant, including tenants that no longer exist; latest first.',
        tag: 'tenants',
        responses: { 200: { description: 'The page.', schema: pageSchema(eventSchema) } },
        problems: ['invalid_cursor', 'storage_failed'],
      },
      handle: async ({ query: { limit, cursor } }) => {
        const list = ['tenants', 'audit'];
        const before = cursor === undefined ? {} : { before: Number(decodeCursor(list, cursor)) };
        const events = await cloud.store.tenantEvents({ ...before, limit: limit + 1 });
        const page = events.slice(0, limit);
        const last = page.at(-1);
        return json(200, {
          items: page.map(({ number: _, ...event }) => event),
          ...(last && events.length > limit && { next_cursor: encodeCursor(list, String(last.number)) }),
        });
      },
    }),
  ];
}

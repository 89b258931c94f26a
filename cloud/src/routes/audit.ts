import { originLink, pullRequestLink } from '@authz-service/core/origin/origin-text';
import { commitSourceSchema } from '@authz-service/core/origin/record-origin';
import { ProblemError } from '@authz-service/core/problem';
import { momentOf } from '@authz-service/core/state/history-point';
import { revisionText } from '@authz-service/core/state/revision';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { pageSchema, paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';
import type { AuditFilter, AuditRow } from '../store/store.js';

const who = z.strictObject({ kind: z.string(), id: z.string(), name: z.string() });

const eventSchema = z.strictObject({
  op: z.enum(['create', 'delete', 'erase', 'retire', 'refuse', 'disable', 'enable']),
  at: z.iso.datetime(),
  tenant: z.strictObject({ id: z.string(), name: z.string() }),
  request_id: z.string(),
  credential: who,
  subject: z.string().optional().meta({ description: 'The path of the subject of an erasure.' }),
  properties: z
    .array(z.string())
    .optional()
    .meta({ description: 'The names of the properties of an erasure, unless all were erased.' }),
  agent: z.string().optional().meta({
    description:
      'The id of the agent that was retired, unless all of a credential were; for `refuse`, the id that belongs to another credential than the one that used it.',
  }),
  credentials: z.array(z.string()).optional().meta({
    description:
      'The addresses of the credentials that a restore turned off, or an operator on; or the name of the one whose agents were retired.',
  }),
});

const moment = z
  .string()
  .refine((text) => momentOf(text) !== undefined, 'must be a time like "2026-03-01T12:00:00Z" or a date')
  .optional();

const filters = {
  since: moment.meta({
    description: 'Only commits at this time (RFC 3339, or a date: its beginning in UTC) or later.',
  }),
  until: moment.meta({ description: 'Only commits at this time or earlier.' }),
  actor: z.string().min(1).optional().meta({
    description:
      'Only commits of this credential, by its name or id, or of the person with this issuer and subject: `https://id.example.com#248289761001`.',
  }),
  record: z.string().min(1).optional().meta({
    description: 'Only commits that changed the record with this address: `role/billing/accountant`.',
  }),
  subject: z.string().min(1).optional().meta({
    description: 'Only commits that changed this subject or what is given to it: `user/alice`.',
  }),
};

const entrySchema = z.strictObject({
  revision: z.string().meta({ description: 'The revision that the commit made.' }),
  digest: z.string(),
  at: z.iso.datetime(),
  request_id: z.string(),
  credential: who,
  stack: z.string().optional(),
  source: commitSourceSchema
    .extend({
      link: z.string().optional().meta({ description: 'The page that shows the commit, where one is known.' }),
      pull_request_link: z
        .string()
        .optional()
        .meta({ description: 'The page that shows the pull request, where one is known.' }),
    })
    .optional()
    .meta({
      description:
        'The place of its records in Git, and who stands behind them, as far as whoever applied them says so: claims that nobody has verified.',
    }),
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

const auditPageSchema = pageSchema(entrySchema, {
  searched_since: z.strictObject({ revision: z.string(), at: z.iso.datetime() }).optional().meta({
    description: 'With `record` or `subject`: the oldest revision that history holds. Later commits were all searched.',
  }),
});

/** The times of a filter as the store writes them. */
function instants({ since, until }: AuditFilter): Pick<AuditFilter, 'since' | 'until'> {
  const instant = (text: string) => new Date(momentOf(text) ?? Number.NaN).toISOString();
  return {
    ...(since !== undefined && { since: instant(since) }),
    ...(until !== undefined && { until: instant(until) }),
  };
}

/**
 * How far back the commits of a record or a subject are known; undefined if none is asked for. Throws `outside_history`
 * for commits before that.
 */
async function searchedSince(
  { store }: Cloud,
  tenant: string,
  { record, subject, since }: AuditFilter,
): Promise<{ revision: string; at: string } | undefined> {
  if (record === undefined && subject === undefined) return undefined;
  const { oldest } = await store.historyStart(tenant);
  const revision = revisionText(oldest.revision, oldest.digest);
  if (since !== undefined && since < oldest.at && oldest.revision > 1) {
    const what = `what commits before revision ${revision} of ${oldest.at} changed in a record is no longer kept`;
    throw new ProblemError('outside_history', `The query asks for commits since ${since}, but ${what}.`);
  }
  return { revision, at: oldest.at };
}

const revision = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be the number of a revision like "42"')
  .transform(Number)
  .pipe(z.int())
  .optional()
  .meta({ description: 'Only the commit that made the revision of this number.' });

function shownRow({ source, ...row }: AuditRow) {
  const link = source && originLink(source);
  const pull = source && pullRequestLink(source);
  return {
    ...row,
    revision: revisionText(row.revision, row.digest),
    ...(source && {
      source: {
        ...source,
        ...(link !== undefined && { link }),
        ...(pull !== undefined && { pull_request_link: pull }),
      },
    }),
  };
}

export function auditRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/audit',
      anyOf: ['records:read'],
      query: z.strictObject({ ...filters, ...paging, revision }),
      operation: {
        id: 'listAudit',
        summary:
          'Who committed what in which revision, latest first. With `record` or `subject`, a commit lists its changes to that alone, and all of them.',
        tag: 'records',
        responses: { 200: { description: 'The page.', schema: auditPageSchema } },
        problems: ['invalid_cursor', 'outside_history'],
      },
      handle: async ({ credential, query: { limit, cursor, revision: only, ...asked } }) => {
        const { tenant } = credential;
        if (only !== undefined) {
          const [row] = await cloud.store.audit(tenant, { ...asked, ...instants(asked), before: only + 1, limit: 1 });
          return json(200, { items: row?.revision === only ? [shownRow(row)] : [] });
        }
        const list = [tenant, 'audit', JSON.stringify(Object.entries(asked).sort())];
        const before = cursor === undefined ? {} : { before: Number(decodeCursor(list, cursor)) };
        const filter = { ...asked, ...instants(asked) };
        const start = await searchedSince(cloud, tenant, filter);
        const rows = await cloud.store.audit(tenant, { ...filter, ...before, limit: limit + 1 });
        const items = rows.slice(0, limit);
        const last = items.at(-1);
        return json(200, {
          items: items.map(shownRow),
          ...(last && rows.length > limit && { next_cursor: encodeCursor(list, String(last.revision)) }),
          ...(start && { searched_since: start }),
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
        summary:
          'Who created and removed which tenant, including tenants that no longer exist, erased what from its history, and retired which of its agents; latest first.',
        tag: 'tenants',
        responses: { 200: { description: 'The page.', schema: pageSchema(eventSchema) } },
        problems: ['invalid_cursor'],
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

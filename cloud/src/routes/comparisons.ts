import type { JsonObject } from '@authz-service/core/json/json';
import { HISTORY_POINT_WORDS, historyPoint } from '@authz-service/core/state/history-point';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { compareRevisions, LISTED_MAX } from '../commands/compare-revisions.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';

/** A moment of history, which a fault names by the parameter that it stands in. */
export const moment = z
  .string()
  .max(100)
  .refine((text) => historyPoint(text) !== undefined, `is no moment: write ${HISTORY_POINT_WORDS}`);

const query = z.strictObject({
  before: moment.meta({
    description: 'The earlier moment: a revision (`42.9f86d081884c7d65` or `42`) or a time (RFC 3339, or a date).',
  }),
  after: moment.optional().meta({ description: 'The later moment, written the same way; absent for now.' }),
});

export const comparedMomentSchema = z.strictObject({
  revision: z.string(),
  committed_at: z.iso.datetime(),
  erased: z.int().meta({ description: 'How many of its records have lost values since, by an erasure.' }),
});

const comparisonSchema = z.strictObject({
  before: comparedMomentSchema,
  after: comparedMomentSchema,
  counts: z.strictObject({ added: z.int(), changed: z.int(), removed: z.int() }),
  changes: z
    .array(
      z.strictObject({
        op: z.enum(['create', 'update', 'move', 'delete']),
        address: z.string(),
        from: z.string().optional(),
      }),
    )
    .meta({ description: `The records that differ, by address, without credentials; the first ${LISTED_MAX}.` }),
  access: z.looseObject({ findings: z.array(z.looseObject({})) }).meta({
    description: `The changes in who may do what, as "servicectl impact --json" says it, from the later moment on; the worst ${LISTED_MAX} findings.`,
  }),
  finding_count: z.int(),
});

export function comparisonRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'GET',
      path: '/console/api/comparison',
      anyOf: ['records:read'],
      query,
      operation: {
        id: 'compareRevisions',
        summary: 'What differs between two revisions or times in records and in access.',
        tag: 'console',
        responses: { 200: { description: 'The comparison.', schema: comparisonSchema } },
        problems: ['not_found', 'outside_history', 'stale_base', 'timeout', 'too_many_requests'],
      },
      handle: async ({ credential, query: { before, after }, now, signal }) => {
        const found = await compareRevisions(cloud, { credential, before, after, now }, signal);
        return json(200, found as unknown as JsonObject);
      },
    }),
  ];
}

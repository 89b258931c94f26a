import type { JsonObject } from '@authz-service/core/json';
import type { ReviewScope } from '@authz-service/core/review/review-scope';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { reviewPart } from '../commands/review-part.js';
import { pastQuery } from '../commands/tenant-at.js';
import { paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';

export const reviewedPart = z.enum(['application', 'resource_type', 'resource']).meta({
  description: 'What is reviewed: an application, a type of resources, or a resource and all below it.',
});
export const reviewedPath = z.string().min(1).max(1000).meta({ description: 'Its path: `billing/invoice`.' });

const query = z.strictObject({
  part: reviewedPart,
  path: reviewedPath,
  actions: z.string().min(1).max(1000).optional().meta({
    description: 'Only these actions, separated by commas; absent means every one.',
  }),
  ...pastQuery,
  as_of: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'The clock of a review at a revision, from which on it is looked at (RFC 3339), from the commit until now; absent for that of `at`.',
  }),
  list: z.enum(['rows', 'subjects']).default('rows').meta({
    description:
      '`rows`: what a group, a role or everyone gives its members is one row each. `subjects`: each subject with a record by itself.',
  }),
  row: z.string().min(1).max(64).optional().meta({ description: 'The id of a row: only its members are listed.' }),
  words: z.string().max(1000).optional().meta({
    description:
      'Only what has all of these words: in what a row says, in a resource or member of it, or in a group, role, policy or place that it may be due to.',
  }),
  limit: paging.limit,
  offset: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a number from 0 on')
    .transform(Number)
    .default(0)
    .meta({ description: 'How many to leave out at the beginning: pages of one revision and clock fit together.' }),
});

const resourcesSchema = z.looseObject({
  type: z.string(),
  which: z.enum(['all', 'recorded', 'named', 'unrecorded', 'nowhere', 'unsaid']),
  names: z.array(z.string()).optional().meta({ description: 'The paths of the first ones.' }),
  recorded: z.int().meta({ description: 'How many recorded resources these are.' }),
});

const accessShape = {
  id: z.string().meta({ description: 'Hangs on all that the row says but for the ways, and on each of its members.' }),
  subject: z.union([
    z.strictObject({
      kind: z.literal('members'),
      of: z.string().meta({
        description:
          'All who belong to this directly and have the access by it: `group/finance`, `role/billing/clerk`, `everyone/user`.',
      }),
      count: z.int(),
    }),
    z.strictObject({ kind: z.literal('recorded'), path: z.string(), name: z.string().optional() }),
    z.strictObject({ kind: z.literal('unrecorded'), type: z.string() }),
    z.strictObject({
      kind: z.literal('named_role'),
      role: z.string(),
      types: z.array(z.string()).optional().meta({ description: 'Only subjects of these types.' }),
      types_except: z.array(z.string()).optional().meta({ description: 'Subjects of all types but these.' }),
    }),
  ]),
  actions: z.array(z.string()),
  actions_except: z.array(z.string()).optional(),
  resources: z.array(resourcesSchema),
  condition: z.string().nullable(),
  unclear: z.literal(true).optional(),
  from: z.iso.datetime().nullable(),
  until: z.iso.datetime().nullable(),
};
/** A row without its ways, as sign-offs keep it. */
export const reviewedAccessSchema = z.strictObject(accessShape);

const rowSchema = z.strictObject({
  ...accessShape,
  ways: z.array(
    z.strictObject({
      through: z.array(z.string()).meta({ description: 'Addresses of groups and roles, in order.' }),
      policy: z.string(),
      place: z.string().optional(),
      since: z.iso.datetime().optional(),
    }),
  ),
});

const reviewSchema = z.strictObject({
  revision: z.string(),
  committed_at: z.iso.datetime(),
  as_of: z.iso.datetime(),
  rows: z.array(rowSchema),
  row_count: z.int().meta({ description: 'How many rows the whole review has.' }),
  listed: z
    .strictObject({ rows: z.int(), subjects: z.int() })
    .meta({ description: 'How many rows have the words, and how many they are with each subject by itself.' }),
  complete: z.boolean().meta({ description: 'False if there was too much to look at.' }),
});

export function accessReviewRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'GET',
      path: '/console/api/access-review',
      anyOf: ['records:read'],
      query,
      operation: {
        id: 'reviewAccess',
        summary: 'Who has access to a part of the tenant, on what, by which ways and under which conditions.',
        tag: 'console',
        responses: { 200: { description: 'The page.', schema: reviewSchema } },
        problems: ['not_found', 'outside_history', 'stale_base', 'timeout', 'too_many_requests'],
      },
      handle: async ({ credential, query: asked, now, signal }) => {
        const { part, path, actions, at, as_of: clock, ...list } = asked;
        const scope: ReviewScope = { part, path, ...(actions && { actions: actionsOf(actions) }) };
        const asOf = clock === undefined ? undefined : Date.parse(clock);
        const found = await reviewPart(cloud, { credential, at, asOf, scope, now, list }, signal);
        return json(200, found as unknown as JsonObject);
      },
    }),
  ];
}

function actionsOf(list: string): string[] {
  return list
    .split(',')
    .map((action) => action.trim())
    .filter(Boolean);
}

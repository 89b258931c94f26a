import type { JsonObject } from '@authz-service/core/json/json';
import { type ReviewScope, SCOPE_KINDS, type ScopeKind } from '@authz-service/core/questions/review/review-scope';
import { splitReference } from '@authz-service/core/records/address';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { accessChanges, withinHistory } from '../commands/access-changes.js';
import { accessReview } from '../commands/access-review.js';
import { LISTED_MAX } from '../commands/compare-revisions.js';
import { pastQuery } from '../commands/tenant-at.js';
import { paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';
import { comparedMomentSchema, moment } from './comparisons.js';

const SCOPE = new RegExp(`^(${SCOPE_KINDS.join('|')})/.`);

export const reviewedScope = z
  .string()
  .max(1000)
  .regex(SCOPE, `must be the address of one of these: ${SCOPE_KINDS.join(', ')}`)
  .meta({
    description:
      'The address of what is reviewed: an application, a type of resources (`resource_type/billing/invoice`), a resource and all below it, or a subject (`subject/user/alice`).',
  });

/** The scope of an address that `reviewedScope` has accepted. */
export function scopeOf(scope: string, actions?: readonly string[]): ReviewScope {
  const { kind, path } = splitReference(scope);
  return { kind: kind as ScopeKind, path, ...(actions && { actions }) };
}

const query = z.strictObject({
  scope: reviewedScope,
  actions: z.string().min(1).max(1000).optional().meta({
    description: 'Only these actions, separated by commas; absent means every one.',
  }),
  ...pastQuery,
  as_of: z.iso.datetime({ offset: true, error: 'must be a time like "2026-03-01T12:00:00Z"' }).optional().meta({
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

export const accessChangesSchema = z.strictObject({
  before: comparedMomentSchema,
  after: comparedMomentSchema,
  findings: z
    .array(z.looseObject({}))
    .meta({ description: `The changes in who has access in the scope; the worst ${LISTED_MAX}.` }),
  finding_count: z.int(),
  complete: z.boolean().meta({ description: 'False if there was too much to look at: more may have changed.' }),
});

/** The problems of what the analyzer finds out of states in history. */
export const computing = ['not_found', 'outside_history', 'stale_base', 'timeout', 'too_many_requests'] as const;

const changesQuery = z.strictObject({
  scope: reviewedScope,
  since: moment.meta({
    description:
      'From when on changes count: a revision (`42.9f86d081884c7d65` or `42`) or a time (RFC 3339, or a date). Of a time before history begins, that beginning.',
  }),
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
        summary:
          'Who has access in a scope, or what a subject may do: on what, by which ways and under which conditions.',
        tag: 'console',
        responses: { 200: { description: 'The page.', schema: reviewSchema } },
        problems: [...computing],
      },
      handle: async ({ credential, query: asked, now, signal }) => {
        const { scope: reviewed, actions, at, as_of: clock, ...list } = asked;
        const scope = scopeOf(reviewed, actions === undefined ? undefined : actionsOf(actions));
        const asOf = clock === undefined ? undefined : Date.parse(clock);
        const found = await accessReview(cloud, { credential, at, asOf, scope, now, list }, signal);
        return json(200, found as unknown as JsonObject);
      },
    }),
    signedIn({
      method: 'GET',
      path: '/console/api/access-changes',
      anyOf: ['records:read'],
      query: changesQuery,
      operation: {
        id: 'findAccessChanges',
        summary:
          'What has changed since a moment in who has access in a scope, or in what a subject may do: by changed records, and by links that have begun or ended.',
        tag: 'console',
        responses: {
          200: { description: 'The changes; none where access is as it was.', schema: accessChangesSchema },
        },
        problems: [...computing],
      },
      handle: async ({ credential, query: { scope, since }, now, signal }) => {
        const before = await withinHistory(cloud, credential.tenant, since);
        const asked = { credential, scope: scopeOf(scope), before, timed: true, now };
        return json(200, (await accessChanges(cloud, asked, signal)) as unknown as JsonObject);
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

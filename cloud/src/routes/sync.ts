import { limitsText } from '@authz-service/core/limits/limits-text';
import { ProblemError } from '@authz-service/core/problem';
import { nameText } from '@authz-service/core/records/fields';
import { syncStatusSchema } from '@authz-service/core/sync/sync-status';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import * as z from 'zod';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';
import type { SyncLease } from '../store/sync-lease-store.js';

const LEASE_SECONDS_MAX = 600;
const BODY_BYTES_MAX = 64 * 1024;

const claimSchema = z.strictObject({
  holder: z.string().min(1).max(200).meta({ description: 'The controller, by a name that no other process has.' }),
  term: z.int().min(1).optional().meta({ description: 'The term that it holds; absent if it holds none.' }),
  lease_seconds: z.int().min(0).max(LEASE_SECONDS_MAX).meta({
    description: 'How long nobody else may take the lease; 0 gives it back.',
  }),
  status: syncStatusSchema.optional().meta({ description: 'Its report; absent: the one before stays.' }),
});
const parse = parserOf(claimSchema);

const leaseSchema = z.strictObject({
  stack: z.string(),
  holder: z.string(),
  term: z.int().meta({ description: 'Rises by one with each controller that takes the lease.' }),
  expires_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  live: z.boolean().meta({ description: 'Whether the holder has not let it expire.' }),
  status: syncStatusSchema.optional(),
});
const listSchema = z.strictObject({ stacks: z.array(leaseSchema) });

/** Routes by which controllers share the stacks that they apply from Git, and say how these are. */
export function syncRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/sync',
      anyOf: ['records:read'],
      query: z.strictObject({}),
      operation: {
        id: 'listSyncedStacks',
        summary: 'The stacks that controllers apply from Git, with what these have reported.',
        tag: 'operation',
        responses: { 200: { description: 'The stacks, by name.', schema: listSchema } },
        problems: [],
      },
      handle: async ({ credential, now }) => {
        const leases = await cloud.store.leases(credential.tenant);
        return json(200, { stacks: leases.map((lease) => shown(lease, now)) });
      },
    }),
    secured<undefined, z.output<typeof claimSchema>>({
      method: 'PUT',
      path: '/v1/sync/{stack}',
      anyOf: ['records:write'],
      body: { limitBytes: BODY_BYTES_MAX, schema: claimSchema, parse, wrongType: 'unsupported_media_type' },
      writes: true,
      operation: {
        id: 'claimSyncedStack',
        summary:
          'Take or renew the lease of a stack for a controller, and report. A controller plans at a revision, renews its lease, and then applies at that revision: so an earlier holder that comes late changes nothing.',
        tag: 'operation',
        responses: { 200: { description: 'The lease.', schema: leaseSchema } },
        problems: ['conflict', 'outside_limits'],
      },
      handle: async ({ credential, params, body, now }) => {
        const { holder, term, lease_seconds: seconds, status } = body;
        const stack = stackOf(params, credential);
        const lease = await cloud.store.claimLease(credential.tenant, {
          ...{ stack, holder, term, status },
          now: new Date(now).toISOString(),
          expires_at: new Date(now + seconds * 1000).toISOString(),
        });
        if (lease.holder !== holder || (term !== undefined && lease.term !== term)) throw heldByAnother(lease);
        return json(200, shown(lease, now));
      },
    }),
    secured({
      method: 'DELETE',
      path: '/v1/sync/{stack}',
      anyOf: ['records:write'],
      query: z.strictObject({}),
      writes: true,
      operation: {
        id: 'forgetSyncedStack',
        summary: 'Forget a stack that no controller follows any more. Its records stay.',
        tag: 'operation',
        responses: { 204: { description: 'It is forgotten.' } },
        problems: ['not_found', 'outside_limits'],
      },
      handle: async ({ credential, params }) => {
        const stack = stackOf(params, credential);
        if (await cloud.store.removeLease(credential.tenant, stack)) return { status: 204 };
        throw new ProblemError('not_found', `No controller follows a stack "${stack}".`);
      },
    }),
  ];
}

function shown({ status, ...lease }: SyncLease, now: number): object {
  const hasReport = Object.keys(status).length > 0;
  return { ...lease, live: Date.parse(lease.expires_at) > now, ...(hasReport && { status }) };
}

/** The stack of the path. Throws `outside_limits` where the credential may not write its records. */
function stackOf({ stack = '' }: Readonly<Record<string, string>>, { name, limits }: Credential): string {
  if (!nameText.safeParse(stack).success)
    throw new ProblemError('invalid_request', `"${stack}" in the path is no name of a stack.`);
  if (limits?.stacks === undefined || limits.stacks.includes(stack)) return stack;
  throw new ProblemError(
    'outside_limits',
    `The credential "${name}" is limited to ${limitsText(limits)}, and "${stack}" is another stack: use a credential that may write its records.`,
  );
}

function heldByAnother({ stack, holder, expires_at: until }: SyncLease): ProblemError {
  const who = holder === '' ? 'It was forgotten meanwhile' : `"${holder}" has it until ${until}`;
  return new ProblemError('conflict', `This controller does not hold the lease of the stack "${stack}". ${who}.`);
}

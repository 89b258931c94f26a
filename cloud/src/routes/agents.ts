import { ProblemError } from '@authz-service/core/problem';
import { tokenOf } from '@authz-service/core/state/revision';
import { isPublisher } from '@authz-service/pdp/contract/publisher-id';
import * as z from 'zod';
import { demand, demandUnlimited, holds } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { bundledTenants } from '../commands/bundle-for.js';
import { wantedRevision } from '../commands/wanted-revision.js';
import { assertStillValid } from '../console/assert-still-valid.js';
import { SILENCE_MARGIN_MS, UNLISTED_MS } from '../fleet/fleet.js';
import { json } from '../http/reply.js';
import { type Route, type SecuredCall, secured } from '../http/route.js';
import type { AgentRow, RetiredAgents } from '../store/agent-store.js';
import type { Tenant } from '../tenants/tenant.js';

const LISTED_MAX = 1000;
/** Shorter than the time after which proxies drop a silent connection, usually a minute. */
const WAIT_SECONDS_MAX = 50;

const agentSchema = z.strictObject({
  id: z.string().meta({ description: 'Its own id, kept beside its cache.' }),
  name: z
    .string()
    .nullable()
    .meta({ description: "Its machine's name; null if an operator's credential fetches for it." }),
  version: z.string().nullable(),
  credential: z
    .strictObject({ id: z.string(), name: z.string() })
    .nullable()
    .meta({ description: "The credential that it last asked with; null if that is an operator's of another tenant." }),
  revision: z
    .string()
    .nullable()
    .meta({ description: 'The revision that it serves, with the epoch that it knows; null if it serves nothing.' }),
  lag: z.int().nullable().meta({
    description: 'By how many revisions it is behind; null if it serves nothing, or what the tenant never had.',
  }),
  publishes: z.boolean().meta({
    description:
      'Whether it is a publisher, which writes bundles to files: its revision is what it has published, and nobody knows who reads that.',
  }),
  enforces: z.boolean().meta({ description: 'Whether it serves the revision that the list is about, or a later one.' }),
  expired: z.boolean().meta({
    description: `Whether it has been silent for longer than its own maximum age and ${SILENCE_MARGIN_MS / 1000} seconds, so that it decides nothing.`,
  }),
  diverged: z.boolean().meta({ description: 'Whether it claims a revision that the tenant never had.' }),
  age_seconds: z.int().nullable().meta({ description: 'The age of what it knew when it was last noted.' }),
  max_age_seconds: z.int().nullable().meta({ description: 'The age past which it refuses to decide.' }),
  error: z.string().nullable().meta({ description: 'The code of the failure since its last successful poll.' }),
  last_seen: z.iso
    .datetime()
    .meta({ description: 'When a poll of it last arrived; one that reached another replica is noted once a minute.' }),
});

const listSchema = z.strictObject({
  revision: z.string().meta({ description: 'The newest one, with the epoch if one was declared.' }),
  wanted: z.int().meta({ description: 'The number of the revision that is asked about: `enforces`, or the newest.' }),
  enforced: z.boolean().meta({
    description:
      'Whether every agent of the list enforces that revision or is expired, the list is complete, and nobody publishes: the readers of what is published are unknown.',
  }),
  total: z.int(),
  enforcing: z.int().meta({ description: 'How many of them serve that revision or a later one.' }),
  expired: z.int().meta({ description: 'How many of the others decide nothing any more.' }),
  publishers: z.int().meta({ description: 'How many of all of them publish, for readers that nobody knows.' }),
  complete: z.boolean().meta({
    description: `False while there are too many agents to list, and for ${UNLISTED_MS / 60_000} minutes after somebody asked for the bundle who is not listed: an agent beyond the bounds, or one without a readable report.`,
  }),
  agents: z.array(agentSchema),
  more: z.boolean().meta({ description: `Whether there are more: at most ${LISTED_MAX} are listed.` }),
});

const ofTenant = {
  tenant: z.string().optional().meta({ description: 'For operators: this tenant, by its name or id.' }),
};

const listQuery = z.strictObject({
  ...ofTenant,
  enforces: z
    .string()
    .regex(
      /^\d{1,15}(\.[0-9a-f]{16}(\.\d{1,15}-[0-9a-f]{8})?)?$/,
      'must be a revision like "42.9f86d081884c7d65", or its number',
    )
    .optional()
    .meta({ description: 'The revision to ask about, `42.9f86d081884c7d65` or `42`; by default the newest.' }),
  wait: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a number of seconds')
    .transform((text) => Math.min(Number(text), WAIT_SECONDS_MAX))
    .pipe(z.number())
    .optional()
    .meta({
      description: `Holds the answer until the revision is enforced, for at most so many seconds (${WAIT_SECONDS_MAX} at most).`,
    }),
});

const retiringQuery = z.strictObject({
  ...ofTenant,
  credential: z
    .string()
    .min(1)
    .max(1024)
    .meta({ description: 'Its id, or its name if only one of that name is meant.' }),
});

const retiredSchema = z.strictObject({
  retired: z.int().meta({ description: 'How many entries were listed.' }),
});

export function agentRoutes(cloud: Cloud): Route[] {
  return [
    secured<z.output<typeof listQuery>>({
      method: 'GET',
      path: '/v1/agents',
      anyOf: ['records:read'],
      query: listQuery,
      operation: {
        id: 'listAgents',
        summary:
          'The agents that have asked for the bundle of the tenant, as they report themselves; those first that do not enforce the revision. Reports are claims, which nobody has verified. An agent stays listed until it is retired, or a day after its own maximum age has run out.',
        tag: 'operation',
        responses: { 200: { description: 'The agents.', schema: listSchema } },
        problems: ['not_found', 'unknown_revision'],
      },
      handle: async (call) => {
        const { query, signal } = call;
        const tenant = await tenantOf(cloud, call);
        const asked = query.enforces;
        const wanted = asked === undefined ? tenant.revisionNumber : await wantedRevision(cloud, tenant, asked);
        if (query.wait !== undefined) {
          const wait = { revision: wanted, ms: query.wait * 1000, signal, goesOn: () => cloud.ready() };
          await cloud.enforcementWaits.reach(tenant.id, wait);
          await assertStillValid(cloud, call.credential, cloud.now());
        }
        return json(200, await listOf(cloud, tenant, wanted, holds(call.credential, 'operator')));
      },
    }),
    secured({
      method: 'DELETE',
      path: '/v1/agents/{id}',
      anyOf: ['operator'],
      query: z.strictObject(ofTenant),
      writes: true,
      operation: {
        id: 'retireAgent',
        summary:
          'Take an agent that is gone for good off the list, so that nobody waits for it. It decides as before if it still runs, and is listed again once it asks.',
        tag: 'operation',
        responses: { 200: { description: 'It is not listed any more.', schema: retiredSchema } },
        problems: ['not_found', 'outside_limits'],
      },
      handle: async (call) => json(200, await retire(cloud, call, { agent: call.params.id ?? '' })),
    }),
    secured<z.output<typeof retiringQuery>>({
      method: 'DELETE',
      path: '/v1/agents',
      anyOf: ['operator'],
      query: retiringQuery,
      writes: true,
      operation: {
        id: 'retireAgents',
        summary: 'Take all agents that have reported by a credential off the list, as `retireAgent` does with one.',
        tag: 'operation',
        responses: { 200: { description: 'They are not listed any more.', schema: retiredSchema } },
        problems: ['not_found', 'outside_limits', 'conflict'],
      },
      handle: async (call) => {
        const { id } = await tenantOf(cloud, call);
        const asked = call.query.credential;
        const [credential, ...others] = await cloud.store.agentCredentials(id, asked);
        if (credential === undefined) return json(200, { retired: 0 });
        if (others.length === 0) return json(200, await retire(cloud, call, { credential }));
        const all = [credential, ...others].map((one) => `"${one}"`).join(' or ');
        throw new ProblemError(
          'conflict',
          `Agents have reported by several credentials named "${asked}", of which some may be gone: say which by its id, ${all}.`,
        );
      },
    }),
  ];
}

/** Takes agents off the list, for an operator. */
async function retire(
  cloud: Cloud,
  call: SecuredCall<{ tenant?: string | undefined }>,
  which: RetiredAgents,
): Promise<{ retired: number }> {
  const { credential, requestId, now, log } = call;
  demandUnlimited(credential);
  const { id, name, createdAt } = await tenantOf(cloud, call);
  await cloud.fleet.written();
  cloud.fleet.forget(id, which);
  cloud.agentOwners.forget();
  const by = {
    at: new Date(now).toISOString(),
    request_id: requestId,
    credential: { kind: credential.kind, id: credential.id, name: credential.name },
  };
  const retired = await cloud.store.retireAgents({ id, name, created_at: createdAt }, which, by);
  if (retired > 0) log.warn({ tenant_name: name, ...which, retired, by: credential.id }, 'agents retired');
  return { retired };
}

async function tenantOf(
  cloud: Cloud,
  { query, credential }: SecuredCall<{ tenant?: string | undefined }>,
): Promise<Tenant> {
  if (query.tenant === undefined) return await cloud.tenants.get(credential.tenant);
  demand(credential, ['operator']);
  const caller = { tenant: credential.tenant, operator: true, wanted: query.tenant };
  const { tenants } = await bundledTenants(cloud, caller);
  return tenants[0] ?? (await cloud.tenants.get(credential.tenant));
}

async function listOf(cloud: Cloud, tenant: Tenant, wanted: number, sees: boolean): Promise<object> {
  await cloud.fleet.written();
  const now = cloud.now();
  const found = await cloud.store.agents(tenant.id, { revision: wanted, now, limit: LISTED_MAX });
  const { total, enforcing, expired, publishers, unlistedAt, rows } = found;
  const lacks = unlistedAt !== undefined && unlistedAt > now - UNLISTED_MS;
  const complete = !lacks && !(await cloud.enforcementWaits.isFull(total));
  return {
    revision: tokenOf(tenant.revision, cloud.bundleKeys.epochName),
    wanted,
    enforced: complete && publishers === 0 && enforcing + expired === total,
    ...{ total, enforcing, expired, publishers, complete },
    agents: rows.map((row) =>
      shown({ ...row, seenAt: cloud.fleet.seenAt(row) }, { newest: tenant.revisionNumber, wanted, now, sees }),
    ),
    more: total > rows.length,
  };
}

/** Shows of an operator's agent what it serves, and not whose it is. */
function shown(
  { tenant, credential, report, enforces, diverged, seenAt, decidesUntil }: AgentRow,
  { newest, wanted, now, sees }: { newest: number; wanted: number; now: number; sees: boolean },
): object {
  const own = sees || credential.tenant === tenant;
  return {
    id: report.id,
    name: own ? (report.name ?? null) : null,
    version: report.version ?? null,
    credential: own ? { id: credential.id, name: credential.name } : null,
    revision: report.revision ?? null,
    lag: enforces === undefined ? null : Math.max(0, newest - enforces),
    publishes: isPublisher(report.id),
    enforces: enforces !== undefined && enforces >= wanted,
    expired: decidesUntil !== undefined && decidesUntil < now,
    diverged,
    age_seconds: report.age ?? null,
    max_age_seconds: report.max_age ?? null,
    error: report.error ?? null,
    last_seen: new Date(seenAt).toISOString(),
  };
}

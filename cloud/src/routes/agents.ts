import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { lagOf } from '../fleet/lag.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const LISTED_MAX = 1000;

const agentSchema = z.strictObject({
  id: z.string().meta({ description: 'Its own id, kept beside its cache.' }),
  name: z.string().nullable().meta({ description: "Its machine's name." }),
  version: z.string().nullable(),
  credential: z.strictObject({ id: z.string(), name: z.string() }).meta({ description: 'What it last asked with.' }),
  revision: z.string().nullable().meta({ description: 'What it serves; null if it serves nothing.' }),
  lag: z.int().nullable().meta({
    description: 'By how many revisions it is behind; null if it serves nothing, or what the tenant never had.',
  }),
  diverged: z.boolean().meta({ description: 'Whether it claims a revision that the tenant never had.' }),
  age_seconds: z.int().nullable().meta({ description: 'The age of what it knew when it was last seen.' }),
  max_age_seconds: z.int().nullable().meta({ description: 'The age past which it refuses to decide.' }),
  error: z.string().nullable().meta({ description: 'The code of the failure since its last successful poll.' }),
  last_seen: z.iso.datetime().meta({ description: 'When its last poll arrived.' }),
});

const listSchema = z.strictObject({
  revision: z.string().meta({ description: 'The newest one.' }),
  total: z.int(),
  enforcing: z.int().meta({ description: 'How many of them serve the newest revision.' }),
  complete: z.boolean().meta({
    description: 'False where other processes share the database: agents that poll those are not listed here.',
  }),
  agents: z.array(agentSchema),
  more: z.boolean().meta({ description: `Whether there are more: at most ${LISTED_MAX} are listed.` }),
});

export function agentRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/agents',
      anyOf: ['records:read'],
      operation: {
        id: 'listAgents',
        summary:
          'The agents that have asked this process for their bundle since it started, as they report themselves; those that lag first. Reports are claims, which nobody has verified.',
        tag: 'operation',
        responses: { 200: { description: 'The agents.', schema: listSchema } },
      },
      handle: async ({ credential }) => {
        const tenant = await cloud.tenants.get(credential.tenant);
        const known = cloud.fleet.of(tenant.id).map((agent) => ({ agent, lag: lagOf(agent, tenant) }));
        const behind = (lag: number | undefined) => lag ?? Number.MAX_SAFE_INTEGER;
        known.sort((a, b) => behind(b.lag) - behind(a.lag) || a.agent.seenAt - b.agent.seenAt);
        return json(200, {
          revision: tenant.revision,
          total: known.length,
          enforcing: known.filter(({ lag }) => lag === 0).length,
          complete: !cloud.store.shared,
          agents: known.slice(0, LISTED_MAX).map(({ agent: { report, credential: by, diverged, seenAt }, lag }) => ({
            id: report.id,
            name: report.name ?? null,
            version: report.version ?? null,
            credential: { ...by },
            revision: report.revision ?? null,
            lag: lag ?? null,
            diverged: diverged === true,
            age_seconds: report.age ?? null,
            max_age_seconds: report.max_age ?? null,
            error: report.error ?? null,
            last_seen: new Date(seenAt).toISOString(),
          })),
          more: known.length > LISTED_MAX,
        });
      },
    }),
  ];
}

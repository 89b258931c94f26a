import { DRAINING } from '@authz-service/pdp/transport/stop-signal';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { open, type Route } from '../http/route.js';

const statusSchema = z.strictObject({ status: z.string() });
const someTenantsSchema = z.strictObject({
  tenants: z.int().meta({ description: 'How many.' }),
  names: z.array(z.string()).meta({ description: 'The names of the first 20.' }),
});
const readinessSchema = z.strictObject({
  status: z.enum(['ready', 'loading', 'broken', 'stopping', 'cut_off']),
  writable: z.boolean().meta({ description: 'Whether changes can be stored; decisions are served either way.' }),
  reason: z.string().optional().meta({
    description: 'Why the service is stopping, the replica is cut off, or changes cannot be stored, and what to do.',
  }),
  set_back: z.literal(true).optional().meta({
    description: 'The database lacks commits that this process has seen; `reason` says what to do.',
  }),
  clock_behind_seconds: z.number().optional().meta({
    description: 'How far the clock is behind the newest commit, if it has been set back.',
  }),
  loading: someTenantsSchema
    .optional()
    .meta({ description: 'The tenants that were used lately and are still being read.' }),
  broken: someTenantsSchema.optional().meta({
    description: 'The tenants whose records are not those that were committed: they are not served, all others are.',
  }),
});

/** More names than this help nobody. */
const NAMES_MAX = 20;

/** Returns the names of the first of so many tenants. */
const someTenants = (names: readonly string[]) => ({ tenants: names.length, names: names.slice(0, NAMES_MAX) });

/** Routes that orchestrators and metric collectors ask, without a credential. */
export function operationalRoutes(cloud: Cloud): Route[] {
  return [
    // Probes are the same on cloud and agent, where `/healthz` reports more.
    ...['livez', 'healthz'].map((id) =>
      open({
        method: 'GET',
        path: `/${id}`,
        operation: {
          id,
          summary: 'Whether the process is up: if it is not, restart it.',
          tag: 'operation',
          responses: { 200: { description: 'The process is up.', schema: statusSchema } },
        },
        handle: () => json(200, { status: 'ok' }),
      }),
    ),
    open({
      method: 'GET',
      path: '/readyz',
      operation: {
        id: 'readyz',
        summary: 'Whether load balancers should send requests here.',
        tag: 'operation',
        responses: {
          200: { description: 'Requests are accepted, or at least decisions.', schema: readinessSchema },
          503: {
            description:
              'The service is stopping (for `SERVICE_DRAIN_TIME` it still answers); tenants that were used lately are being read (`loading`, for at most 60 seconds); ' +
              'no tenant can be served (`broken`); or this replica has not heard of its database for 5 seconds (`cut_off`): it only decides.',
            schema: readinessSchema,
          },
        },
      },
      handle: async () => {
        const [writability, behind] = [await cloud.health.writability(), cloud.health.clockBehindSeconds()];
        const awaited = cloud.awaited();
        const loss = cloud.loss();
        const broken = cloud.tenants.broken().map(({ name }) => name);
        const stopping = cloud.draining() || !cloud.ready();
        const state = {
          ...writability,
          ...(loss !== undefined && { reason: loss }),
          ...(stopping && { reason: DRAINING }),
          ...((cloud.revocationLog?.isSetBack === true || loss !== undefined) && { set_back: true as const }),
          ...(behind > 0 && { clock_behind_seconds: behind }),
          ...(awaited.length > 0 && { loading: someTenants(awaited) }),
          ...(broken.length > 0 && { broken: someTenants(broken) }),
        };
        if (stopping) return json(503, { status: 'stopping', ...state });
        if (awaited.length > 0) return json(503, { status: 'loading', ...state });
        if (broken.length > 0 && broken.length === cloud.tenants.size) return json(503, { status: 'broken', ...state });
        return cloud.isCutOff() ? json(503, { status: 'cut_off', ...state }) : json(200, { status: 'ready', ...state });
      },
    }),
    open({
      method: 'GET',
      path: '/metrics',
      operation: {
        id: 'metrics',
        summary: 'Metrics in the text exposition format.',
        tag: 'operation',
        responses: { 200: { description: 'The metrics.', type: 'text/plain' } },
      },
      handle: async () => {
        const { registry } = cloud.metrics;
        return { status: 200, body: { type: registry.contentType, content: await registry.metrics() } };
      },
    }),
  ];
}

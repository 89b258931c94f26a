import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { open, type Route } from '../http/route.js';

const statusSchema = z.strictObject({ status: z.string() });

/** What orchestrators and scrapers ask, without a credential. */
export function operationalRoutes(cloud: Cloud): Route[] {
  return [
    open({
      method: 'GET',
      path: '/healthz',
      operation: {
        id: 'healthz',
        summary: 'Whether the process is up.',
        tag: 'operation',
        responses: { 200: { description: 'It is.', schema: statusSchema } },
      },
      handle: () => json(200, { status: 'ok' }),
    }),
    open({
      method: 'GET',
      path: '/readyz',
      operation: {
        id: 'readyz',
        summary: 'Whether requests are taken.',
        tag: 'operation',
        responses: {
          200: { description: 'They are.', schema: statusSchema },
          503: { description: 'Not while it stops.', schema: statusSchema },
        },
      },
      handle: () => (cloud.ready() ? json(200, { status: 'ready' }) : json(503, { status: 'stopping' })),
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

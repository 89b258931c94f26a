import { KINDS } from '@authz-service/core/records/kinds';
import { z } from 'zod';
import type { Cloud } from '../cloud.js';
import { json, versioned } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const stateSchema = z.strictObject({
  tenant: z.string(),
  revision: z.string(),
  records: z.array(
    z.strictObject({
      kind: z.enum(KINDS),
      address: z.string(),
      fields: z.record(z.string(), z.json()),
      id: z.string(),
      managed_by: z.string(),
      created_at: z.string(),
      updated_at: z.string(),
      revision: z.int(),
    }),
  ),
});

export function stateRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/state',
      anyOf: ['records:read'],
      operation: {
        id: 'readState',
        summary: 'All records of the tenant at one revision.',
        tag: 'records',
        responses: { 200: { description: 'The records, without secrets.', schema: stateSchema } },
        headers: { 'If-None-Match': 'The ETag of an earlier answer: 304 while it is the newest.' },
      },
      handle: async ({ credential, headers }) => {
        const tenant = await cloud.tenants.get(credential.tenant);
        const { revision } = tenant;
        return versioned(headers['if-none-match'], `"${revision}"`, () =>
          json(200, { tenant: tenant.name, revision, records: KINDS.flatMap((kind) => tenant.sorted(kind)) }),
        );
      },
    }),
  ];
}

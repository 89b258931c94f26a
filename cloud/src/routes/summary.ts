import type { JsonObject } from '@authz-service/core/json/json';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { tenantSummary } from '../commands/tenant-summary.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';

const summarySchema = z.strictObject({
  revision: z.string(),
  subjects: z
    .array(z.strictObject({ type: z.string(), count: z.int() }))
    .meta({ description: 'How many subjects have a record, by type.' }),
  grants: z.array(z.strictObject({ application: z.string().nullable(), count: z.int() })).meta({
    description:
      'How many roles and policies are given to somebody and have not ended, by the application that these belong to, null for those of the tenant.',
  }),
  expiring: z.strictObject({
    count: z.int(),
    per_day: z.array(z.int()).meta({ description: 'How many end in each of the next 30 days of 24 hours.' }),
    links: z
      .array(
        z.strictObject({
          address: z.string(),
          given: z.string().meta({ description: 'The address of the role, group or policy.' }),
          to: z.string().meta({ description: 'The address of whom it is given to; of everyone, `everyone/user`.' }),
          name: z.string().optional().meta({ description: 'The name of the subject.' }),
          expires_at: z.iso.datetime(),
        }),
      )
      .meta({ description: 'The next to end come first; at most 1000 are listed.' }),
  }),
  reviews: z
    .array(z.strictObject({ application: z.string(), signed_off_at: z.iso.datetime().nullable() }))
    .meta({ description: 'When all access to each application was last signed off; null where it never was.' }),
});

/** Routes for numbers about a tenant. */
export function summaryRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'GET',
      path: '/console/api/summary',
      anyOf: ['records:read'],
      query: z.strictObject({}),
      operation: {
        id: 'summarizeTenant',
        summary: 'How many people and grants there are, what ends soon, and which access was signed off when.',
        tag: 'console',
        responses: { 200: { description: 'The numbers.', schema: summarySchema } },
        problems: [],
      },
      handle: async ({ credential, now }) => {
        const tenant = await cloud.tenants.get(credential.tenant);
        return json(200, (await tenantSummary(cloud, tenant, now)) as unknown as JsonObject);
      },
    }),
  ];
}

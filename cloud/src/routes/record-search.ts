import { KINDS } from '@authz-service/core/records/kinds';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { searchRecords } from '../commands/search-records.js';
import { pageSchema, paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';
import { toWire } from '../records/record-wire.js';

/** Fields of every record, beside those of its kind. */
export const foundSchema = z.looseObject({
  id: z.string(),
  kind: z.enum(KINDS),
  address: z.string(),
  managed_by: z.string(),
  revision: z.int(),
});

export const searchQuery = {
  q: z.string().min(1).max(256).meta({
    description:
      'Words, separated by spaces. A record is found if its name, id or path begins with the first, or a word of these does, and one of its words with each other. Exact matches come first.',
  }),
  kind: z.enum(KINDS).optional().meta({ description: 'Only records of this kind; else one page of the best of all.' }),
  application: z.string().min(1).optional().meta({ description: 'Only records that belong to this application.' }),
  managed_by: z.string().min(1).optional().meta({ description: 'Only records of this owner.' }),
};

export function recordSearchRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/search',
      anyOf: ['records:read'],
      query: z.strictObject({ ...searchQuery, ...paging }),
      operation: {
        id: 'searchRecords',
        summary:
          'Finds records by their names, in an index, which takes a moment to have the records of a commit of more than 100 changes.',
        tag: 'records',
        responses: {
          200: { description: 'The page, which may hold less than was asked for.', schema: pageSchema(foundSchema) },
        },
        problems: ['invalid_cursor'],
      },
      handle: async ({ credential, query: { q, kind, application, managed_by, limit, cursor } }) => {
        const tenant = await cloud.tenants.get(credential.tenant);
        const order = { words: q, kind, application, managedBy: managed_by, limit, cursor };
        const { records, next } = await searchRecords(tenant, order);
        const items = records.map((record) => toWire(record, tenant.state));
        return json(200, { items, ...(next !== undefined && { next_cursor: next }) });
      },
    }),
  ];
}

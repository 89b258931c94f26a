import { ProblemError } from '@authz-service/core/problem';
import { splitAddress } from '@authz-service/core/records/address';
import { KINDS } from '@authz-service/core/records/kinds';
import { definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { pageSchema, paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';
import { toWire } from '../records/record-wire.js';
import { foundSchema } from './record-search.js';

const linksSchema = pageSchema(foundSchema, {
  references: z
    .array(z.strictObject({ pointer: z.string(), address: z.string() }))
    .meta({ description: 'The records that it refers to, and where in its fields.' }),
});

export function recordLinkRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/links',
      anyOf: ['records:read'],
      query: z.strictObject({
        address: z
          .string()
          .min(1)
          .max(4096)
          .meta({ description: 'The address of the record: `role/billing/accountant`.' }),
        kind: z.enum(KINDS).optional().meta({ description: 'Only records of this kind that mention it.' }),
        ...paging,
      }),
      operation: {
        id: 'listLinks',
        summary: 'What a record refers to, and a page of the records that mention it.',
        tag: 'records',
        responses: { 200: { description: 'The page.', schema: linksSchema } },
        problems: ['invalid_cursor', 'not_found'],
      },
      handle: async ({ credential, query: { address, kind, limit, cursor } }) => {
        const { state, id } = await cloud.tenants.get(credential.tenant);
        splitAddress(address);
        const record = state.get(address);
        if (record === undefined)
          throw new ProblemError('not_found', `There is no record "${address}": give the address of one.`);
        const list = [id, 'links', address, kind ?? ''];
        const skipped = cursor === undefined ? 0 : Number(decodeCursor(list, cursor));
        const records: StoredRecord[] = [];
        let index = 0;
        let more = false;
        for (const mention of state.inbound(address, kind)) {
          index += 1;
          if (index <= skipped) continue;
          more = records.length === limit;
          if (more) break;
          const mentioning = state.get(mention);
          if (mentioning !== undefined) records.push(mentioning);
        }
        const next = more ? { next_cursor: encodeCursor(list, String(skipped + limit)) } : {};
        return json(200, {
          references: referencesOf(record),
          items: records.map((one) => toWire(one, state)),
          ...next,
        });
      },
    }),
  ];
}

function referencesOf(record: StoredRecord) {
  const { references } = definitionOf(record.kind);
  return references(record.fields as never).map(({ pointer, target }) => ({ pointer, address: target }));
}

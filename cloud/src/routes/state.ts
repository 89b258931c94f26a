import { compareTexts, sortedInSteps } from '@authz-service/core/collections/sorted-in-steps';
import { KINDS } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { PAST_HEADERS, pastHeaders, pastQuery, tenantAt } from '../commands/tenant-at.js';
import { versioned } from '../http/reply.js';
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
      query: z.strictObject(pastQuery),
      operation: {
        id: 'readState',
        summary: 'All records of the tenant at one revision: the newest, or a past one.',
        tag: 'records',
        responses: {
          200: { description: 'The records, without secrets.', schema: stateSchema, headers: PAST_HEADERS },
        },
        problems: ['not_found', 'outside_history'],
        headers: { 'If-None-Match': 'The ETag of an earlier answer: 304 while it is the newest.' },
      },
      handle: async ({ credential, headers, query: { at }, now }) => {
        const { tenant } = await tenantAt(cloud, { credential, at, now });
        const { revision } = tenant;
        return versioned(headers['if-none-match'], `"${revision}"`, async () => {
          const records = KINDS.map((kind) => [...tenant.state.records(kind)]);
          const content = await cloud.slicing.run(stateText({ tenant: tenant.name, revision }, records), tenant.id);
          return { status: 200, headers: pastHeaders(at, tenant), body: { type: 'application/json', content } };
        });
      },
    }),
  ];
}

/** In UTF-16 units: less than a millisecond's work. */
const PART_LENGTH = 64 * 1024;

/**
 * The answer as JSON, part by part, so that nobody waits while a million records are written. The whole may be longer
 * than the longest possible string.
 */
function* stateText(head: object, ofKinds: readonly (readonly StoredRecord[])[]): Generator<undefined, Buffer[]> {
  const parts: Buffer[] = [];
  let text = `${JSON.stringify(head).slice(0, -1)},"records":[`;
  let separator = '';
  for (const records of ofKinds) {
    for (const record of yield* sortedInSteps(records, (left, right) => compareTexts(left.address, right.address))) {
      text += separator + JSON.stringify(record);
      separator = ',';
      if (text.length < PART_LENGTH) continue;
      parts.push(Buffer.from(text));
      text = '';
      yield;
    }
  }
  return [...parts, Buffer.from(`${text}]}`)];
}

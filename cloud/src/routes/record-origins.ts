import { originLink } from '@authz-service/core/origin/origin-text';
import { recordOriginSchema } from '@authz-service/core/origin/record-origin';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const askedSchema = z.strictObject({
  addresses: z.array(z.string().min(1).max(4096)).max(1000).meta({ description: 'The addresses of the records.' }),
});

const parse = parserOf(askedSchema);

const answerSchema = z.strictObject({
  origins: z.array(
    recordOriginSchema.extend({
      address: z.string(),
      link: z.string().optional().meta({ description: 'The page that shows it, where one is known.' }),
    }),
  ),
});

export function recordOriginRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'POST',
      path: '/v1/record-origins',
      anyOf: ['records:read'],
      body: {
        limitBytes: MIB,
        schema: askedSchema,
        parse,
        wrongType: 'unsupported_media_type',
      },
      operation: {
        id: 'readRecordOrigins',
        summary: 'Where records stand in Git, as far as whoever wrote them said so.',
        tag: 'records',
        responses: { 200: { description: 'The records whose place is known.', schema: answerSchema } },
        problems: [],
      },
      handle: async ({ credential, body: { addresses } }) => {
        const known = await cloud.store.origins(credential.tenant, [...new Set(addresses)]);
        const origins = [...known].map(([address, origin]) => {
          const link = originLink(origin);
          return { address, ...origin, ...(link !== undefined && { link }) };
        });
        return json(200, { origins });
      },
    }),
  ];
}

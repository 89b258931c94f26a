import { limits } from '@authz-service/core/records/limits';
import * as z from 'zod';
import { grantsOf } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const limitsSchema = limits.unwrap().meta({ description: 'The most that it may write; absent means unlimited.' });
const whoamiSchema = z.strictObject({
  tenant: z.strictObject({ id: z.string(), name: z.string() }),
  credential: z.strictObject({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string(), name: z.string() }),
  limits: limitsSchema.optional(),
  scopes: z.array(z.string()).meta({ description: 'The scopes it has, including implied ones.' }),
});

export function whoamiRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/whoami',
      anyOf: [],
      operation: {
        id: 'whoami',
        summary: 'The credential in use, its scopes and limits.',
        tag: 'credentials',
        responses: { 200: { description: 'The credential.', schema: whoamiSchema } },
      },
      handle: async ({ credential }) => {
        const { id, name } = await cloud.tenants.get(credential.tenant);
        return json(200, {
          tenant: { id, name },
          credential: { kind: credential.kind, id: credential.id, name: credential.name },
          ...(credential.limits && { limits: credential.limits }),
          scopes: grantsOf(credential),
        });
      },
    }),
  ];
}

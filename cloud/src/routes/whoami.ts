import * as z from 'zod';
import { grantsOf } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const whoamiSchema = z.strictObject({
  tenant: z.strictObject({ id: z.string(), name: z.string() }),
  credential: z.strictObject({ kind: z.enum(['api_key', 'oauth_client']), id: z.string(), name: z.string() }),
  scopes: z.array(z.string()).meta({ description: 'What it may do; what a scope implies is among them.' }),
});

export function whoamiRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/whoami',
      anyOf: [],
      operation: {
        id: 'whoami',
        summary: 'Whom the credential stands for, and what it may do.',
        tag: 'credentials',
        responses: { 200: { description: 'The credential.', schema: whoamiSchema } },
      },
      handle: async ({ credential }) => {
        const { id, name } = await cloud.tenants.get(credential.tenant);
        return json(200, {
          tenant: { id, name },
          credential: { kind: credential.kind, id: credential.id, name: credential.name },
          scopes: grantsOf(credential),
        });
      },
    }),
  ];
}

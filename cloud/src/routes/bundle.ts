import { z } from 'zod';
import { holds } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { bundledTenants, bundleOf } from '../commands/bundle-for.js';
import { versioned } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

export function bundleRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/policies/bundle',
      anyOf: ['bundle'],
      query: z.strictObject({
        tenant: z.string().optional().meta({ description: 'For operators: only this tenant, by its name or id.' }),
      }),
      operation: {
        id: 'fetchBundle',
        summary: "The tenant's policy bundle as a tar.gz archive; an operator's holds all tenants.",
        tag: 'decisions',
        responses: { 200: { description: 'The archive, with `bundle.json` in it.', type: 'application/gzip' } },
        headers: { 'If-None-Match': 'The ETag of an earlier answer: 304 while it is the newest.' },
        problems: ['not_found'],
      },
      handle: async ({ credential, query, headers }) => {
        const tenants = await bundledTenants(cloud, {
          tenant: credential.tenant,
          operator: holds(credential, 'operator'),
          wanted: query.tenant,
        });
        const bundle = bundleOf(cloud, tenants);
        return versioned(headers['if-none-match'], `"${bundle.revision}"`, async () => ({
          status: 200,
          body: { type: 'application/gzip', content: await bundle.pack() },
        }));
      },
    }),
  ];
}

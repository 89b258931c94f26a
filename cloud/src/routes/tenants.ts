import { ProblemError } from '@authz-service/core/problem';
import { nameText } from '@authz-service/core/records/fields';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import { demandUnlimited } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { createTenant } from '../commands/create-tenant.js';
import { deleteTenant } from '../commands/delete-tenant.js';
import { eraseFromHistory } from '../commands/erase-history.js';
import { pageSchema, paging } from '../http/paging.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const shape = { id: z.string(), name: z.string(), created_at: z.iso.datetime() };
const tenantSchema = z.strictObject(shape);
const madeSchema = z.strictObject({ ...shape, client_id: z.string(), client_secret: z.string() });
const newTenantSchema = z.strictObject({ name: nameText.meta({ description: 'The name, unique in this cloud.' }) });

const erasureSchema = z.strictObject({
  subject: z.string().min(1, 'must not be empty').meta({ description: 'The path of the subject: `user/alice`.' }),
  properties: z.array(z.string().min(1, 'must not be empty')).min(1, 'must name a property').optional().meta({
    description: 'The names of the properties; if absent, all of them and the name of the subject.',
  }),
});
const erasedSchema = z.strictObject({
  versions: z.int().meta({ description: 'From how many past versions of the subject something was erased.' }),
  absent: z.array(z.string()).meta({ description: 'The named properties that no past version of the subject has.' }),
});

const LIST = ['tenants'];

/** Only for operators. */
export function tenantRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/tenants',
      anyOf: ['operator'],
      query: z.strictObject(paging),
      operation: {
        id: 'listTenants',
        summary: 'A page of the tenants, by name.',
        tag: 'tenants',
        responses: { 200: { description: 'The page.', schema: pageSchema(tenantSchema) } },
        problems: ['invalid_cursor'],
      },
      handle: ({ query: { limit, cursor } }) => {
        const after = cursor === undefined ? '' : decodeCursor(LIST, cursor);
        const rest = cloud.tenants.list().filter(({ name }) => name > after);
        const items = rest.slice(0, limit);
        const last = items.at(-1);
        return json(200, { items, ...(last && rest.length > limit && { next_cursor: encodeCursor(LIST, last.name) }) });
      },
    }),
    secured<undefined, z.output<typeof newTenantSchema>>({
      method: 'POST',
      path: '/v1/tenants',
      anyOf: ['operator'],
      body: {
        limitBytes: MIB,
        schema: newTenantSchema,
        parse: parserOf(newTenantSchema),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'createTenant',
        summary: 'Create a tenant and its administrator client.',
        tag: 'tenants',
        responses: {
          201: { description: "The tenant, with its administrator's secret, this once.", schema: madeSchema },
        },
        problems: ['conflict', 'outside_limits'],
      },
      handle: async ({ credential, body, requestId, now }) => {
        demandUnlimited(credential);
        const { kind, id, name } = credential;
        const { tenant, client } = await createTenant(cloud, {
          name: body.name,
          by: { kind, id, name },
          credential,
          requestId,
          now,
        });
        return json(201, { ...tenant, ...client }, { location: `/v1/tenants/${encodeURIComponent(tenant.name)}` });
      },
    }),
    secured({
      method: 'GET',
      path: '/v1/tenants/{name}',
      anyOf: ['operator'],
      operation: {
        id: 'readTenant',
        summary: 'One tenant by its name.',
        tag: 'tenants',
        responses: { 200: { description: 'The tenant.', schema: tenantSchema } },
        problems: ['not_found'],
      },
      handle: ({ params }) => {
        const row = cloud.tenants.named(params.name ?? '');
        if (row === undefined) throw new ProblemError('not_found', `There is no tenant "${params.name}".`);
        return json(200, row);
      },
    }),
    secured({
      method: 'DELETE',
      path: '/v1/tenants/{name}',
      anyOf: ['operator'],
      writes: true,
      operation: {
        id: 'deleteTenant',
        summary: 'Remove a tenant with all its records and credentials.',
        tag: 'tenants',
        responses: { 204: { description: 'The tenant has been removed.' } },
        problems: ['conflict', 'not_found', 'outside_limits'],
      },
      handle: async ({ params, credential, requestId, now, log }) => {
        demandUnlimited(credential);
        await deleteTenant(cloud, { name: params.name ?? '', credential, requestId, now });
        log.warn({ tenant_name: params.name, credential: credential.id }, 'tenant deleted');
        return { status: 204 };
      },
    }),
    secured<undefined, z.output<typeof erasureSchema>>({
      method: 'POST',
      path: '/v1/tenants/{name}/erasures',
      anyOf: ['operator'],
      body: {
        limitBytes: MIB,
        schema: erasureSchema,
        parse: parserOf(erasureSchema),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'eraseFromHistory',
        summary:
          'Erase properties of a subject from the history of a tenant, leaving no copy of them in the database file.',
        tag: 'tenants',
        responses: { 200: { description: 'They are erased.', schema: erasedSchema } },
        problems: ['conflict', 'not_found', 'outside_limits'],
      },
      handle: async ({ params, body, credential, requestId, now, log }) => {
        demandUnlimited(credential);
        const { subject, properties } = body;
        const tenant = params.name ?? '';
        const erased = await eraseFromHistory(cloud, { tenant, subject, properties, credential, requestId, now });
        log.warn({ tenant_name: tenant, credential: credential.id }, 'properties of a subject erased from history');
        return json(200, erased);
      },
    }),
  ];
}

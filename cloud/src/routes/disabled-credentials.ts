import { ProblemError } from '@authz-service/core/problem';
import { CREDENTIAL_KINDS } from '@authz-service/core/records/kinds';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import { demandUnlimited } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { deleteDisabled } from '../commands/delete-disabled.js';
import { enableCredentials } from '../commands/enable-credentials.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';
import { SIGN_IN } from '../store/credential-switch.js';

const listSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      address: z.string(),
      kind: z.enum([...CREDENTIAL_KINDS, SIGN_IN]),
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.string()),
      expires_at: z.iso.datetime().optional(),
      off_since: z.iso.datetime(),
    }),
  ),
});

const wishSchema = z.strictObject({
  credentials: z.array(z.string().min(1, 'must not be empty')).min(1, 'must name a credential').optional().meta({
    description:
      'The addresses of the credentials: `api_key/agent`; if absent, all of the tenant. `sign-in` lets people sign in again by the identity provider, and has to be named.',
  }),
});
const deletionSchema = z.strictObject({
  credentials: z
    .array(z.string().min(1, 'must not be empty'))
    .min(1, 'must name a credential')
    .meta({ description: 'The addresses of credentials that are off.' }),
});
const deletedSchema = z.strictObject({
  revision: z.string().meta({ description: 'The revision of the tenant without them.' }),
});
const enabledSchema = z.strictObject({
  enabled: z.array(z.string()).meta({ description: 'The addresses of the credentials that were turned on.' }),
});

/** Routes by which operators deal with the credentials that a restore has turned off. */
export function disabledCredentialRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'GET',
      path: '/v1/tenants/{name}/disabled-credentials',
      anyOf: ['operator'],
      operation: {
        id: 'listDisabledCredentials',
        summary: 'The credentials of a tenant that are off since a restore, by address.',
        tag: 'tenants',
        responses: { 200: { description: 'All of them.', schema: listSchema } },
        problems: ['not_found'],
      },
      handle: async ({ params }) => {
        const row = cloud.tenants.named(params.name ?? '');
        if (row === undefined) throw new ProblemError('not_found', `There is no tenant "${params.name}".`);
        const off_since = cloud.oidc && (await cloud.store.signInOffSince(row.id));
        const people = {
          address: SIGN_IN,
          kind: SIGN_IN,
          id: row.id,
          name: 'people of the identity provider',
          scopes: [],
        };
        const items: object[] = cloud.credentials.off(row.id);
        return json(200, { items: off_since === undefined ? items : [...items, { ...people, off_since }] });
      },
    }),
    secured<undefined, z.output<typeof wishSchema>>({
      method: 'POST',
      path: '/v1/tenants/{name}/enabled-credentials',
      anyOf: ['operator'],
      body: {
        limitBytes: MIB,
        schema: wishSchema,
        parse: parserOf(wishSchema),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'enableCredentials',
        summary: 'Turn on credentials of a tenant that are off since a restore.',
        tag: 'tenants',
        responses: { 200: { description: 'They are on.', schema: enabledSchema } },
        problems: ['not_found', 'outside_limits'],
      },
      handle: async ({ params, body, credential, requestId, now, log }) => {
        demandUnlimited(credential);
        const tenant = params.name ?? '';
        const { credentials } = body;
        const enabled = await enableCredentials(cloud, { tenant, credentials, credential, requestId, now });
        log.warn({ tenant_name: tenant, credential: credential.id, enabled: enabled.length }, 'credentials turned on');
        return json(200, { enabled });
      },
    }),
    secured<undefined, z.output<typeof deletionSchema>>({
      method: 'POST',
      path: '/v1/tenants/{name}/deleted-credentials',
      anyOf: ['operator'],
      body: {
        limitBytes: MIB,
        schema: deletionSchema,
        parse: parserOf(deletionSchema),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'deleteDisabledCredentials',
        summary: 'Delete credentials of a tenant that are off since a restore.',
        tag: 'tenants',
        responses: { 200: { description: 'They are gone, in one revision of the tenant.', schema: deletedSchema } },
        problems: ['not_found', 'conflict', 'outside_limits'],
      },
      handle: async ({ params, body: { credentials }, credential, requestId, now, log }) => {
        demandUnlimited(credential);
        const tenant = params.name ?? '';
        const revision = await deleteDisabled(cloud, { tenant, credentials, credential, requestId, now });
        log.warn(
          { tenant_name: tenant, credential: credential.id, deleted: credentials },
          'disabled credentials deleted',
        );
        return json(200, { revision });
      },
    }),
  ];
}

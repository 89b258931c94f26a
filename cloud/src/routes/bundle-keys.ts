import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import { demandUnlimited } from '../auth/credential.js';
import { EVERY_TENANT } from '../bundles/watch.js';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const rotationSchema = z.strictObject({
  revoke: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether agents must stop trusting all earlier keys, because one may have been stolen.' }),
});
const rotatedSchema = z.strictObject({ kid: z.string(), version: z.int(), created_at: z.iso.datetime() });

/** Only for operators: one set of keys signs the bundles of all tenants. */
export function bundleKeyRoutes(cloud: Cloud): Route[] {
  return [
    secured<undefined, z.output<typeof rotationSchema>>({
      method: 'POST',
      path: '/v1/bundle-keys',
      anyOf: ['operator'],
      body: {
        limitBytes: MIB,
        schema: rotationSchema,
        parse: parserOf(rotationSchema),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'rotateBundleKeys',
        summary: 'Sign bundles with a new key from now on, announced by the previous key.',
        tag: 'credentials',
        responses: { 201: { description: 'The key that now signs.', schema: rotatedSchema } },
        problems: ['outside_limits'],
      },
      handle: async ({ body, credential, log }) => {
        demandUnlimited(credential);
        const { kid, version, created_at } = await cloud.bundleKeys.rotate(body);
        log.warn({ kid, revoke: body.revoke, credential: credential.id }, 'bundle keys rotated');
        // Waiting agents learn of the new key now.
        cloud.tenants.watch.notify(EVERY_TENANT);
        return json(201, { kid, version, created_at });
      },
    }),
  ];
}

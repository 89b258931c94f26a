import { setTimeout } from 'node:timers/promises';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import * as z from 'zod';
import { demandUnlimited } from '../auth/credential.js';
import { EVERY_TENANT } from '../bundles/watch.js';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';
import { SILENT_MS } from '../replica/follower.js';

const rotationSchema = z.strictObject({
  revoke: z.boolean().default(false).meta({
    description:
      'Whether agents must stop trusting all earlier keys and every access token and console session ends, because a key may have been stolen.',
  }),
});
const rotatedSchema = z.strictObject({
  kid: z.string().meta({ description: 'The key that now signs bundles.' }),
  version: z.int(),
  created_at: z.iso.datetime(),
  token_kid: z.string().meta({ description: 'The key that now signs access tokens.' }),
});

/** Only for operators: one set of keys signs the bundles and tokens of all tenants. */
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
        summary:
          'Sign bundles and access tokens with new keys from now on; that of bundles is announced by the previous key.',
        tag: 'credentials',
        responses: { 201: { description: 'The keys that now sign.', schema: rotatedSchema } },
        problems: ['outside_limits'],
      },
      handle: async ({ body, credential, log }) => {
        demandUnlimited(credential);
        // The tokens come first: with a stolen key somebody may be an operator as well.
        const token_kid = await cloud.tokens.rotate(body);
        const { kid, version, created_at } = await cloud.bundleKeys.rotate(body);
        log.warn({ kid, token_kid, revoke: body.revoke, credential: credential.id }, 'keys rotated');
        // Waiting agents learn of the new key now.
        cloud.tenants.watch.notify(EVERY_TENANT);
        if (body.revoke) {
          // A forged token may open a session as long as a replica has not heard, or does not know that it has not.
          if (cloud.store.shared) await setTimeout(SILENT_MS);
          await cloud.store.endAllSessions();
        }
        return json(201, { kid, version, created_at, token_kid });
      },
    }),
  ];
}

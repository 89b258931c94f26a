import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, signedIn } from '../http/route.js';

const settingsSchema = z.strictObject({
  links: z
    .enum(['loopback', 'anywhere', 'off'])
    .meta({ description: 'From where one-time links of "servicectl console" are taken.' }),
  provider: z
    .strictObject({
      issuer: z.string(),
      client_id: z.string(),
      callback: z.string().meta({ description: 'The redirect URI to register at the provider.' }),
      scope: z.string().meta({ description: 'The scopes that are asked for, separated by spaces.' }),
      subject_type: z.string().meta({ description: 'The type of the subjects that persons are in the records.' }),
      subject: z.enum(['sub', 'email']).meta({ description: 'The claim that is the id of that subject.' }),
      groups_claim: z.string(),
      groups: z
        .record(z.string(), z.array(z.string()))
        .meta({ description: "The paths of groups here, by the names of the provider's groups." }),
    })
    .optional()
    .meta({ description: 'Absent where no identity provider is set up.' }),
});

/** How people sign in here, for those who look after credentials. No secret is in it. */
export function consoleSignInRoutes(cloud: Cloud): Route[] {
  return [
    signedIn({
      method: 'GET',
      path: '/console/api/sign-in-settings',
      anyOf: ['credentials'],
      operation: {
        id: 'readSignInSettings',
        summary: 'The settings by which people sign in to the console.',
        tag: 'console',
        responses: { 200: { description: 'The settings.', schema: settingsSchema } },
      },
      handle: () => {
        const settings = cloud.oidc?.settings();
        return json(200, {
          links: cloud.consoleSettings.links,
          ...(settings && {
            provider: {
              issuer: settings.issuer,
              client_id: settings.clientId,
              callback: settings.callback,
              scope: settings.scope,
              subject_type: settings.subject.type,
              subject: settings.subject.by,
              groups_claim: settings.groupsClaim,
              groups: Object.fromEntries(settings.groups),
            },
          }),
        });
      },
    }),
  ];
}

import { ProblemError } from '@authz-service/core/problem';
import { isLoopbackHost } from '@authz-service/core/values/loopback';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const linkSchema = z.strictObject({
  url: z.url().meta({ description: 'Opens the console, once.' }),
  expires_at: z.iso.datetime(),
});

export function consoleLinkRoutes(cloud: Cloud): Route[] {
  return [
    secured({
      method: 'POST',
      path: '/v1/console-links',
      anyOf: [],
      writes: true,
      operation: {
        id: 'createConsoleLink',
        summary: 'Make a link that signs the holder of the credential in to the console, once and within 60 seconds.',
        tag: 'console',
        responses: { 201: { description: 'The link.', schema: linkSchema } },
        problems: ['conflict', 'too_many_requests'],
      },
      handle: async ({ credential, now }) => {
        const base = addressForLinks(cloud);
        const { token, expiresAt } = await cloud.sessions.link(credential, now);
        return json(201, { url: `${base}/console/sign-in#${token}`, expires_at: expiresAt });
      },
    }),
  ];
}

/** Throws `conflict` where no link could be redeemed. */
function addressForLinks({ consoleSettings: { links }, publicUrl, localUrl }: Cloud): string {
  if (links === 'off') {
    throw new ProblemError(
      'conflict',
      'This cloud makes no links (SERVICE_CONSOLE_LINKS is "off"): sign in otherwise.',
    );
  }
  const url = links === 'anywhere' ? publicUrl() : [publicUrl(), localUrl()].find((one) => isLoopbackHost(hostOf(one)));
  if (url !== undefined) return url;
  throw new ProblemError(
    'conflict',
    'Links open the console on the machine of the cloud alone, and it listens at no loopback address: ' +
      'set SERVICE_CONSOLE_LINKS=anywhere to have them at its public address.',
  );
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}

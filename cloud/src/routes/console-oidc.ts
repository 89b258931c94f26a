import { ProblemError } from '@authz-service/core/problem';
import { isExpected } from '@authz-service/pdp/transport/problem-document';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { pendingCookie, pendingSignIn, sessionCookie, sessionToken } from '../console/session-cookie.js';
import type { Reply } from '../http/reply.js';
import { type Call, open, type Route } from '../http/route.js';

/** The two addresses that a browser visits to sign in with the identity provider; both send it on. */
export function consoleOidcRoutes(cloud: Cloud): Route[] {
  const tags = { tag: 'console' };
  const sentOn = { 303: { description: 'The browser goes on there.', headers: { Location: 'The next address.' } } };
  return [
    open({
      method: 'GET',
      path: '/console/oidc',
      query: z.strictObject({
        tenant: z.string().min(1).max(1024).optional().meta({ description: 'By default, SERVICE_BOOTSTRAP_TENANT.' }),
      }),
      operation: {
        ...tags,
        id: 'beginSignIn',
        summary: 'Sign in to the console with the identity provider.',
        responses: sentOn,
      },
      handle: (call) =>
        sendOn(call, async () => {
          const { oidc } = providerOf(cloud);
          const { url, pending } = await oidc.begin(call.query.tenant ?? cloud.consoleSettings.tenant, call.now);
          return to(url, pendingCookie(pending));
        }),
    }),
    open({
      method: 'GET',
      path: '/console/oidc/callback',
      query: z.looseObject({}),
      operation: {
        ...tags,
        id: 'finishSignIn',
        summary: 'Where the identity provider sends the browser back to.',
        responses: sentOn,
      },
      handle: (call) =>
        sendOn(call, async () => {
          const { oidc } = providerOf(cloud);
          const search = new URLSearchParams(call.query as Record<string, string>).toString();
          const pending = pendingSignIn(call.headers) ?? '';
          const { person, tenant } = await oidc.finish(search, pending, call.now);
          const row = cloud.tenants.named(tenant);
          if (row === undefined) throw mayNothing();
          if ((await cloud.store.signInOffSince(row.id)) !== undefined) throw closed();
          const { token, session } = await cloud.sessions.open(row.id, person, call.now);
          if (session.credential.grants.size === 0) {
            await cloud.sessions.end(row.id, session.row.id);
            throw mayNothing();
          }
          await cloud.sessions.endOf(sessionToken(call.headers));
          return to('/console/', sessionCookie(token), pendingCookie());
        }),
    }),
  ];
}

function providerOf({ oidc }: Cloud): { oidc: NonNullable<Cloud['oidc']> } {
  if (oidc !== undefined) return { oidc };
  throw new ProblemError('not_found', 'No identity provider is set up (SERVICE_OIDC_ISSUER).');
}

/** A browser that visits an address needs a page in place of a problem. */
async function sendOn({ log }: Call, visit: () => Promise<Reply>): Promise<Reply> {
  try {
    return await visit();
  } catch (error) {
    const code = error instanceof ProblemError ? error.code : 'internal';
    if (isExpected(error)) log.warn({ err: error }, 'sign-in refused');
    else log.error({ err: error }, 'sign-in failed');
    return to(`/console/sign-in?problem=${code}`, pendingCookie());
  }
}

function to(location: string, ...cookies: string[]): Reply {
  return { status: 303, headers: { location, 'set-cookie': cookies } };
}

/** The rights of a restored record may have been taken away after the backup. */
function closed(): ProblemError {
  return new ProblemError(
    'not_ready',
    'Nobody can sign in so since the database was restored from a backup: an operator turns it on with "servicectl credentials enable sign-in".',
  );
}

/** Does not tell one who has no rights there whether there is such a tenant. */
function mayNothing(): ProblemError {
  return new ProblemError('forbidden', 'The person may do nothing in this tenant, or there is none of that name.');
}

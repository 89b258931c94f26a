import { ProblemError } from '@authz-service/core/problem';
import { limits } from '@authz-service/core/records/limits';
import { isLoopbackAddress, isLoopbackHost } from '@authz-service/core/values/loopback';
import { parserOf } from '@authz-service/pdp/contract/parser-of';
import * as z from 'zod';
import { type Credential, grantsOf, holds } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { noSessionCookie, sessionCookie, sessionToken } from '../console/session-cookie.js';
import { idleAt, type Session } from '../console/sessions.js';
import { pageSchema } from '../http/paging.js';
import { json } from '../http/reply.js';
import { open, type Route, signedIn } from '../http/route.js';

const BODY_BYTES_MAX = 4096;

const waysSchema = z.strictObject({
  link: z.boolean().meta({ description: 'With a one-time link of "servicectl console".' }),
  oidc: z.boolean().meta({ description: 'With the identity provider, at `/console/oidc`.' }),
});

const linkSchema = z.strictObject({
  link: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be the part of the link behind "#"')
    .meta({ description: 'The token of a one-time link: what is behind `#`.' }),
});

const sessionShape = {
  id: z.string(),
  person: z.strictObject({ kind: z.enum(['person', 'api_key', 'oauth_client']), id: z.string(), name: z.string() }),
  tenant: z.strictObject({ id: z.string(), name: z.string() }),
  sign_in: z.enum(['link', 'oidc']),
  created_at: z.iso.datetime(),
  idle_at: z.iso.datetime().meta({ description: 'When it ends unless something is asked before.' }),
  expires_at: z.iso.datetime().meta({ description: 'When it ends in any case.' }),
};
const sessionSchema = z.strictObject(sessionShape);
const ownSchema = z.strictObject({
  ...sessionShape,
  scopes: z.array(z.string()).meta({ description: 'The scopes that the person has at this moment.' }),
  limits: limits.unwrap().optional(),
});

export function consoleSessionRoutes(cloud: Cloud): Route[] {
  const shown = async ({ row, holder }: Session) => {
    const { id, name } = await cloud.tenants.get(row.tenant);
    return {
      id: row.id,
      person: { kind: holder.kind, id: holder.id, name: holder.name },
      tenant: { id, name },
      sign_in: holder.kind === 'person' ? 'oidc' : 'link',
      created_at: row.created_at,
      idle_at: idleAt(row),
      expires_at: row.expires_at,
    };
  };
  const own = async (session: Session) => ({
    ...(await shown(session)),
    scopes: grantsOf(session.credential),
    ...(session.credential.limits && { limits: session.credential.limits }),
  });
  /** Those that the holder of the credential may see and end. */
  const visible = async (credential: Credential, now: number) => {
    const sessions = await cloud.sessions.list(credential.tenant, now);
    if (holds(credential, 'credentials') && credential.limits === undefined) return sessions;
    return sessions.filter(({ holder }) => holder.kind === credential.kind && holder.id === credential.id);
  };
  return [
    open({
      method: 'GET',
      path: '/console/api/sign-in',
      operation: {
        id: 'listSignInWays',
        summary: 'How people can sign in to the console.',
        tag: 'console',
        responses: { 200: { description: 'The ways.', schema: waysSchema } },
      },
      handle: () => json(200, { link: cloud.consoleSettings.links !== 'off', oidc: cloud.oidc !== undefined }),
    }),
    open<undefined, z.output<typeof linkSchema>>({
      method: 'POST',
      path: '/console/api/session',
      body: {
        limitBytes: BODY_BYTES_MAX,
        schema: linkSchema,
        parse: parserOf(linkSchema),
        wrongType: 'unsupported_media_type',
      },
      writes: true,
      operation: {
        id: 'signIn',
        summary: 'Sign in to the console with a one-time link.',
        tag: 'console',
        responses: { 200: { description: 'The session, whose cookie is set.', schema: ownSchema } },
        problems: ['unauthorized', 'forbidden'],
      },
      handle: async ({ body, headers, address, now }) => {
        assertLinkAccepted(cloud, headers.host, address);
        const { token, session } = await cloud.sessions.redeem(body.link, now);
        await cloud.sessions.endOf(sessionToken(headers));
        return json(200, await own(session), { 'set-cookie': sessionCookie(token) });
      },
    }),
    signedIn({
      method: 'GET',
      path: '/console/api/session',
      anyOf: [],
      operation: {
        id: 'getSession',
        summary: "One's own session, and what one may do.",
        tag: 'console',
        responses: { 200: { description: 'The session.', schema: ownSchema } },
      },
      handle: async ({ session }) => json(200, await own(session)),
    }),
    signedIn({
      method: 'DELETE',
      path: '/console/api/session',
      anyOf: [],
      writes: true,
      operation: {
        id: 'signOut',
        summary: 'Sign out.',
        tag: 'console',
        responses: { 204: { description: 'The session has ended.' } },
      },
      handle: async ({ session: { row } }) => {
        await cloud.sessions.end(row.tenant, row.id);
        return { status: 204, headers: { 'set-cookie': noSessionCookie() } };
      },
    }),
    signedIn({
      method: 'GET',
      path: '/console/api/sessions',
      anyOf: [],
      operation: {
        id: 'listSessions',
        summary:
          "One's own sessions, the latest first; with the scope `credentials` and without limits, all of the tenant.",
        tag: 'console',
        responses: { 200: { description: 'The sessions.', schema: pageSchema(sessionSchema) } },
      },
      handle: async ({ credential, now }) =>
        json(200, { items: await Promise.all((await visible(credential, now)).map(shown)) }),
    }),
    signedIn({
      method: 'DELETE',
      path: '/console/api/sessions/{id}',
      anyOf: [],
      writes: true,
      operation: {
        id: 'endSession',
        summary: 'End a session: one of those that `GET /console/api/sessions` lists.',
        tag: 'console',
        responses: { 204: { description: 'The session has ended.' } },
        problems: ['not_found'],
      },
      handle: async ({ credential, params: { id = '' }, now }) => {
        const sessions = await visible(credential, now);
        const found = sessions.find(({ row }) => row.id === id);
        if (found === undefined || !(await cloud.sessions.end(credential.tenant, id)))
          throw new ProblemError('not_found', `There is no session "${id.slice(0, 100)}": it may have ended.`);
        return { status: 204 };
      },
    }),
  ];
}

/** Throws `forbidden` unless a link is accepted from there. */
function assertLinkAccepted({ consoleSettings: { links } }: Cloud, host = '', address: string): void {
  if (links === 'anywhere') return;
  if (links === 'off')
    throw new ProblemError('forbidden', 'This cloud takes no links (SERVICE_CONSOLE_LINKS is "off").');
  if (isLoopbackAddress(address) && isLoopbackHost(host.replace(/:\d+$/, '').toLowerCase())) return;
  throw new ProblemError(
    'forbidden',
    'A link opens the console on the machine of the cloud alone: open it there, or set SERVICE_CONSOLE_LINKS=anywhere.',
  );
}

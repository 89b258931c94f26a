import { ProblemError } from '@authz-service/core/problem';
import { SCOPES } from '@authz-service/core/records/scopes';
import * as z from 'zod';
import { looksSecret } from '../auth/secrets.js';
import type { Cloud } from '../cloud.js';
import { issueToken, TokenError } from '../commands/issue-token.js';
import { json, type Reply } from '../http/reply.js';
import { open, type Route } from '../http/route.js';
import { asTokenError, tokenParameters, tokenRequest } from './token-request.js';

const tokenRequestSchema = z.looseObject({
  grant_type: z.literal('client_credentials'),
  scope: z
    .string()
    .optional()
    .meta({ description: 'Scopes, separated by spaces; by default, all scopes of the client.' }),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});

const tokenSchema = z.strictObject({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
});

const tokenErrorSchema = z.strictObject({
  error: z.enum(['invalid_request', 'invalid_client', 'invalid_scope', 'unsupported_grant_type']),
  error_description: z.string(),
});

const jwksSchema = z.strictObject({
  keys: z.array(z.looseObject({})),
  announcements: z
    .array(z.string())
    .meta({ description: 'Each set of bundle keys as a JWS, signed by a key of the previous set; oldest first.' }),
});

export function oauthRoutes(cloud: Cloud): Route[] {
  return [
    open({
      method: 'POST',
      path: '/oauth/token',
      body: {
        limitBytes: 64 * 1024,
        schema: tokenRequestSchema,
        parse: (value) => value as { type: string | undefined; bytes: Buffer },
        wrongType: 'invalid_request',
        form: true,
      },
      operation: {
        id: 'issueToken',
        summary: 'Get an access token with client credentials (RFC 6749 section 4.4).',
        tag: 'credentials',
        responses: {
          200: { description: 'The token, valid for an hour.', schema: tokenSchema },
          400: { description: 'The request is malformed (RFC 6749 section 5.2).', schema: tokenErrorSchema },
          401: { description: 'The client is unknown, or the secret is wrong.', schema: tokenErrorSchema },
        },
        problems: ['too_many_requests'],
      },
      handle: async ({ headers, body, address, signal, log }) => {
        let clientId: string | undefined;
        try {
          const parameters = tokenParameters(body.type, body.bytes);
          const request = tokenRequest(headers, parameters);
          clientId = request.clientId;
          return json(200, await issueToken(cloud, request, { address, signal }), { pragma: 'no-cache' });
        } catch (error) {
          const reason = clientId === undefined ? undefined : failedLogin(error);
          if (reason !== undefined) log.warn({ client_id: logged(clientId), address, reason }, 'log-in refused');
          return refusal(asTokenError(error));
        }
      },
    }),
    open({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      operation: {
        id: 'readOAuthMetadata',
        summary: 'Metadata of the authorization server (RFC 8414).',
        tag: 'credentials',
        responses: { 200: { description: 'The metadata.', schema: z.looseObject({ issuer: z.string() }) } },
      },
      handle: () => {
        const issuer = cloud.publicUrl();
        return json(200, {
          issuer,
          token_endpoint: `${issuer}/oauth/token`,
          jwks_uri: `${issuer}/.well-known/jwks.json`,
          scopes_supported: [...SCOPES, 'operator'],
          response_types_supported: [],
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        });
      },
    }),
    open({
      method: 'GET',
      path: '/.well-known/jwks.json',
      polls: true,
      operation: {
        id: 'readJwks',
        summary:
          'The public keys of access tokens, and of bundles: those whose "kid" starts with "bundle-" (RFC 7517); and of epochs: "epoch-".',
        tag: 'credentials',
        responses: { 200: { description: 'The keys.', schema: jwksSchema } },
      },
      handle: () => jwks(cloud),
    }),
  ];
}

/** Announcements lead from one trusted bundle key to the next: each set is signed by a key of the previous one. */
function jwks({ tokens, bundleKeys }: Cloud): Reply {
  const { epoch, set } = bundleKeys;
  const keys = [...tokens.jwks.keys, ...set.keys, ...(epoch ? [epoch.key] : [])];
  return json(200, { keys, announcements: bundleKeys.announcements }, { 'cache-control': 'public, max-age=300' });
}

/** Why a log-in failed; undefined for other errors. */
function failedLogin(error: unknown): string | undefined {
  if (error instanceof TokenError && error.error === 'invalid_client') return error.error;
  return error instanceof ProblemError && error.code === 'too_many_requests' ? error.code : undefined;
}

/** A client id that is safe to log: callers who confuse id and secret send the secret in its place. */
function logged(clientId = ''): string {
  return looksSecret(clientId) ? '[redacted]' : clientId.slice(0, 256);
}

/** RFC 6749 section 5.2. */
function refusal(error: unknown): Reply {
  if (!(error instanceof TokenError)) throw error;
  const unauthorized = error.error === 'invalid_client';
  return json(
    unauthorized ? 401 : 400,
    { error: error.error, error_description: error.description },
    unauthorized ? { 'www-authenticate': 'Basic realm="authz-service"' } : {},
  );
}

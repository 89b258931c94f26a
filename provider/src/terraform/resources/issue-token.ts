import { ProblemError } from '@authz-service/core/problem';
import { jsonOf } from '@authz-service/sdk/answer';
import { type ServiceRequest, Transport } from '@authz-service/sdk/transport';
import type { IssuedToken } from './service.js';

const ATTEMPT_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 60_000;

/**
 * Fetches an access token (RFC 6749 section 4.4). Throws `invalid_client`, or `invalid_request` for a scope that the
 * client lacks.
 */
export async function issueToken(
  {
    url,
    fetch,
    clientId,
    clientSecret,
    userAgent,
  }: { url: string; fetch: typeof globalThis.fetch; clientId: string; clientSecret: string; userAgent: string },
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<IssuedToken> {
  const transport = new Transport({
    base: url,
    retryPolicy: { timeoutMs: TIMEOUT_MS, attemptTimeoutMs: ATTEMPT_TIMEOUT_MS, retries: 3, backoffMs: 200 },
    userAgent,
    fetch,
  });
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  });
  const request: ServiceRequest = {
    method: 'POST',
    path: '/oauth/token',
    body,
    repeat: 'harmless',
    secrets: [clientSecret],
  };
  const startedMs = Date.now();
  const at = `POST ${url}/oauth/token`;
  const answer = jsonOf(await transport.send(request, { signal }), at);
  const { access_token: token, expires_in: seconds } = answer as Record<string, unknown>;
  if (typeof token !== 'string' || typeof seconds !== 'number') {
    throw new ProblemError('network', `${at} answered without an access token: it is not the service's address.`);
  }
  return { accessToken: token, expiresAtMs: startedMs + seconds * 1000 };
}

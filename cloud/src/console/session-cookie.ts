import type { IncomingHttpHeaders } from 'node:http';
import { SIGN_IN_SECONDS } from './oidc.js';

export const SESSION_COOKIE = 'service_session';
const ATTRIBUTES = 'Path=/console; HttpOnly; Secure; SameSite=Lax';

/** The token in the request's cookie; none of two, since one of them may be planted by another host of the domain. */
export function sessionToken(headers: IncomingHttpHeaders): string | undefined {
  return cookieValue(headers, SESSION_COOKIE);
}

function cookieValue({ cookie = '' }: IncomingHttpHeaders, wanted: string): string | undefined {
  const values = new Set<string | undefined>();
  for (const pair of cookie.split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted) values.add(value);
  }
  const [value] = values;
  return values.size === 1 ? value : undefined;
}

/** The cookie lasts as long as the browser runs; the session may end before. */
export function sessionCookie(token: string): string {
  return `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}`;
}

export function noSessionCookie(): string {
  return `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
}

const PENDING_COOKIE = 'service_sign_in';

/** Returns what a browser keeps while somebody signs in at the identity provider. */
export function pendingSignIn(headers: IncomingHttpHeaders): string | undefined {
  return cookieValue(headers, PENDING_COOKIE);
}

/** Without a value, the browser forgets it. */
export function pendingCookie(value = ''): string {
  const age = value === '' ? 0 : SIGN_IN_SECONDS;
  return `${PENDING_COOKIE}=${value}; Path=/console/oidc; HttpOnly; Secure; SameSite=Lax; Max-Age=${age}`;
}

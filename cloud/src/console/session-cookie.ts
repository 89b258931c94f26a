import type { IncomingHttpHeaders } from 'node:http';

export const SESSION_COOKIE = 'service_session';
const ATTRIBUTES = 'Path=/console; HttpOnly; Secure; SameSite=Lax';

/** The token in the request's cookie. */
export function sessionToken({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  for (const pair of cookie.split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === SESSION_COOKIE) return value;
  }
  return undefined;
}

/** The cookie lasts as long as the browser runs; the session may end before. */
export function sessionCookie(token: string): string {
  return `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}`;
}

export function noSessionCookie(): string {
  return `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
}

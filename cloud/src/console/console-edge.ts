import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { isLoopbackHost } from '@authz-service/core/values/loopback';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

const API = '/console/api/';
const READING = new Set(['GET', 'HEAD']);

export function isConsolePath(pathname: string): boolean {
  return pathname === '/console' || pathname.startsWith('/console/');
}

export function isConsoleApi(pathname: string): boolean {
  return pathname.startsWith(API);
}

/** Whether the path is a route's, in place of a file or a page. */
export function isConsoleRoute(pathname: string): boolean {
  return isConsoleApi(pathname) || /^\/console\/oidc(\/|$)/.test(pathname);
}

/**
 * Guards everything below `/console`: the browser gets the strict headers, the host is one of ours, and the API is called
 * by our own page. Throws `invalid_request`.
 */
export function guardConsole(
  { headers, method = '' }: IncomingMessage,
  response: ServerResponse,
  { pathname, hosts, publicUrl }: { pathname: string; hosts: ReadonlySet<string>; publicUrl: string },
): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const host = headers.host?.toLowerCase();
  if (host === undefined || !(hosts.has(host) || isLoopbackHost(nameOf(host)))) {
    throw refused(
      `The console does not answer as "${printable(host ?? '')}": open it at the address in SERVICE_PUBLIC_URL.`,
    );
  }
  if (!isConsoleApi(pathname)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') {
    throw refused('The request comes from another site: only the console itself can call this.');
  }
  if (origin !== undefined ? !isOf(origin, host, publicUrl) : site === undefined && !READING.has(method)) {
    throw refused('The request comes from no page of the console: "Origin" must name its address.');
  }
}

/**
 * A page of the public address has its scheme: what came over plain HTTP may be anybody's. At other addresses a proxy may
 * end TLS, so that the scheme is not known here.
 */
function isOf(origin: string, host: string, publicUrl: string): boolean {
  const known = new URL(publicUrl);
  if (known.host === host) return origin === known.origin;
  return origin === `https://${host}` || origin === `http://${host}`;
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '');
}

function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}

function refused(detail: string): ProblemError {
  return new ProblemError('invalid_request', detail);
}

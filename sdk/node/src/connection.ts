import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { baseAddress } from './base-address.js';
import type { DecisionClientOptions, Route } from './decision-client.js';
import { secretsIn } from './own-headers.js';
import { PROXY } from './proxy-fault.js';
import { ServiceError } from './service-error.js';

/** Options that the platform's `fetch` does not have. */
export interface ConnectionOptions {
  /**
   * The certificate authorities whose certificates are accepted instead of the system's: the path of a PEM file, or its text.
   */
  ca?: string | undefined;
  /** The proxy that requests go through, `http://proxy.example.com:3128`; never those to one's own machine. None unless given. */
  proxy?: string | undefined;
}

interface Proxy {
  /** Without user and password. */
  name: string;
  host: string;
  port: number;
  headers: Record<string, string>;
  /** The password, in all forms in which it is sent or given. */
  secrets: string[];
}

/** How long a proxy may take to open a tunnel, in milliseconds. */
const TUNNEL_MS = 10_000;

/** How long an idle connection is kept: less than servers do, so that no request meets a closing one. */
const IDLE_MS = 55_000;

/** The form of the address of a unix socket. */
const SOCKET = /^unix:\/\/(\/[^?#]*[^?#/])$/;

/**
 * The way that the options describe: by the platform's `fetch`, by a unix socket, with a certificate authority of one's own, or
 * through a proxy. Throws `invalid_config` for options that cannot be used.
 */
export function routeOf(options: DecisionClientOptions & ConnectionOptions): Route {
  const base = addressOf(options.url);
  const via = options.proxy === undefined ? undefined : proxyOf(options.proxy);
  const own = connectionFetch(base, options, via);
  if (own !== undefined && options.fetch !== undefined) {
    throw invalid('A "fetch" of your own makes its own connections: leave out the socket, "ca" and "proxy".');
  }
  return { base, fetch: own ?? options.fetch ?? globalThis.fetch, secrets: via?.secrets ?? [] };
}

function addressOf(url: string): string {
  if (!url.startsWith('unix:')) return baseAddress(url);
  if (SOCKET.test(url)) return url;
  throw invalid(`"${url}" is no address of a unix socket: write its path, like "unix:///run/service/agent.sock".`);
}

/** A `fetch` over Node's own HTTP client; undefined where the platform's does. */
function connectionFetch(
  base: string,
  options: ConnectionOptions,
  via: Proxy | undefined,
): typeof globalThis.fetch | undefined {
  const socketPath = SOCKET.exec(base)?.[1];
  if (socketPath !== undefined && via !== undefined) {
    throw invalid('A unix socket is reached without a proxy: leave out one of them.');
  }
  const ca = options.ca === undefined ? undefined : certificatesOf(options.ca);
  const { protocol, hostname } = new URL(base);
  const proxy = isLoopback(hostname) ? undefined : via;
  const secure = protocol === 'https:';
  if (socketPath === undefined && proxy === undefined && !(secure && ca !== undefined)) return undefined;

  const http = builtin('node:http');
  const https = builtin('node:https');
  const { Readable } = builtin('node:stream');
  const settings = { keepAlive: true, timeout: IDLE_MS };
  const agent: Agent = secure ? new https.Agent({ ...settings, ca }) : new http.Agent(settings);
  if (secure && proxy !== undefined) {
    Object.assign(agent, {
      createConnection: (target: RequestOptions, made: (error: Error | null, socket?: Duplex) => void) => {
        tunnel(proxy, `${target.host}:${target.port}`).then(
          (socket) => made(null, builtin('node:tls').connect({ ...(target as object), socket })),
          made,
        );
      },
    });
  }
  const place = (url: string): RequestOptions => {
    const at = socketPath !== undefined && url.startsWith(base) ? `http://localhost${url.slice(base.length)}` : url;
    const { host, hostname: name, port, pathname, search, href } = new URL(at);
    if (socketPath !== undefined) return { socketPath, path: pathname + search, headers: { host } };
    if (secure || proxy === undefined) {
      return {
        host: name.replace(/^\[|\]$/g, ''),
        port: port || (secure ? 443 : 80),
        path: pathname + search,
        headers: { host },
      };
    }
    return { host: proxy.host, port: proxy.port, path: href, headers: { host, ...proxy.headers } };
  };

  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { headers: placed, ...target } = place(String(input));
    const sent = { ...(headers as Record<string, string>), ...placed } as Record<string, string | number>;
    const text = body === undefined || body === null ? '' : String(body);
    if (text !== '' || method !== 'GET') sent['content-length'] = Buffer.byteLength(text);
    if (body instanceof URLSearchParams) sent['content-type'] = 'application/x-www-form-urlencoded;charset=UTF-8';
    const options = { ...target, method, headers: sent, agent, ...(signal && { signal }) } as RequestOptions;
    const request = (secure ? https : http).request(options);
    return await new Promise<Response>((resolve, reject) => {
      request.once('response', (answer) => {
        try {
          resolve(responseOf(answer, () => Readable.toWeb(answer) as ReadableStream));
        } catch (error) {
          answer.destroy();
          reject(error);
        }
      });
      request.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new ServiceError('network', `${base} switched to another protocol, which nobody asked for.`));
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        const ofProxy = proxy !== undefined && !secure && error.syscall !== undefined && unsent(error);
        reject(ofProxy ? proxyFault(proxy, `cannot be reached (${error.code})`) : error);
      });
      request.end(text);
    });
  };
}

/** Whether the request cannot have been sent: the connection was not made. */
function unsent({ syscall }: NodeJS.ErrnoException): boolean {
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

function responseOf(answer: IncomingMessage, body: () => ReadableStream): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  if (status < 200 || status > 599) {
    throw new ServiceError('network', `The answer has the status ${status}: that is no answer.`, [], { status });
  }
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  if (status !== 204 && status !== 304) return new Response(body(), { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}

/** A connection through the proxy to a host (RFC 9110 section 9.3.6). Nothing of a request has been sent on it. */
function tunnel(proxy: Proxy, target: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const { host, port, headers } = proxy;
    const options = {
      host,
      port,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...headers },
      agent: false,
    };
    const request = builtin('node:http').request(options as RequestOptions);
    request.setTimeout(TUNNEL_MS, () => request.destroy(proxyFault(proxy, 'is silent')));
    request.once('connect', ({ statusCode }, socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(proxyFault(proxy, `answered ${statusCode} to CONNECT ${target}`));
    });
    request.once('response', ({ statusCode }) => {
      request.destroy();
      reject(proxyFault(proxy, `answered ${statusCode} to CONNECT ${target}`));
    });
    request.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === PROXY ? error : proxyFault(proxy, `cannot be reached (${error.code})`)),
    );
    request.end();
  });
}

function proxyFault({ name }: Proxy, why: string): Error {
  return Object.assign(new Error(`the proxy ${name} ${why}`), { code: PROXY });
}

/** Reads the address of a proxy, whose user and password no error repeats. */
function proxyOf(given: string): Proxy {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    const shown = text.includes('@') ? 'The proxy' : `The proxy "${text}"`;
    throw invalid(`${shown} is no http address of a proxy: write it like "http://proxy.example.com:3128".`);
  }
  const { hostname, port } = url;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  const headers: Record<string, string> = {};
  const secrets: string[] = [];
  if (username !== '' || password !== '') {
    const pair = new TextEncoder().encode(`${username}:${password}`);
    const basic = btoa(String.fromCharCode(...pair));
    headers['proxy-authorization'] = `Basic ${basic}`;
    secrets.push(basic, ...secretsIn({ password, given: url.password }));
  }
  return { name: url.host, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), headers, secrets };
}

/** The user or the password of a proxy. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The user or password of the proxy has a "%" that begins no code: write "%25" for "%".');
  }
}

/** Certificates in PEM, given as a text or as the path of a file. */
function certificatesOf(given: string): string {
  if (typeof given !== 'string') throw invalid('"ca" is no text: give the path of a PEM file, or its text.');
  const isText = given.includes('-----BEGIN');
  const what = isText ? 'The text' : `"${given}"`;
  let text = given;
  try {
    if (!isText) text = builtin('node:fs').readFileSync(given, 'utf8');
  } catch (error) {
    throw invalid(`The certificates of "ca" cannot be read: ${(error as Error).message}.`);
  }
  try {
    const { X509Certificate } = builtin('node:crypto');
    const blocks = text.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length > 0) return text;
  } catch {}
  throw invalid(`${what} of "ca" holds no certificates in PEM: give a file that does, or its text.`);
}

/** Requests to one's own machine never go through a proxy. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** A module of Node, which Deno and Bun have as well. It is not imported, for bundles that are made for browsers. */
function builtin<M extends keyof Builtins>(name: M): Builtins[M] {
  const found = globalThis.process?.getBuiltinModule?.(name);
  if (found === undefined) throw invalid('Unix sockets, "ca" and "proxy" are for Node, Deno and Bun.');
  return found as Builtins[M];
}

interface Builtins {
  'node:crypto': typeof import('node:crypto');
  'node:fs': typeof import('node:fs');
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
  'node:stream': typeof import('node:stream');
  'node:tls': typeof import('node:tls');
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalid_config', detail);
}

import { Agent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import { KEPT, proxyAgents } from '@authz-service/pdp/transport/proxy';
import { isPlainServer, PLAIN_SERVER } from './plain-server.js';

/** The time limits for an answer. */
export interface RequestBounds {
  /** The longest silence on the connection, in milliseconds. */
  idleMs: number;
  /** From the first byte sent to the last received, in milliseconds. */
  totalMs: number;
}

/** Who is asked, as errors name it, and the setting with its address. */
export interface ServerName {
  whom: string;
  setting: string;
}

/**
 * Connections are kept for the next request, which mostly follows at once: a fleet that learns of a commit would else connect
 * anew all together. An unused one is closed before a server or proxy would do that while a request is on its way.
 */
const KEPT_HTTP = new Agent(KEPT);
const KEPT_HTTPS = new TlsAgent(KEPT);
/** An answer that a kept connection fails to give so soon was not held back: the request is sent again over a new one. */
const ENDED_MS = 500;
/** The share of requests that have a connection of their own, and end the kept one: so a fleet comes to replicas that were added. */
const RENEWED_SHARE = 1 / 64;

const CLOUD: ServerName = { whom: 'The cloud', setting: 'SERVICE_CLOUD_URL' };

export interface ServerRequest {
  baseUrl: URL;
  /** A path below that of the base URL. */
  path: string;
  headers: Record<string, string>;
  bounds: RequestBounds;
  /** How long the server was asked to hold its answer; this is added to the limits. */
  holdMs?: number;
  stop: AbortSignal;
  /** By default the cloud. */
  asked?: ServerName;
}

/**
 * Sends a GET and passes the answer to `take`. The connection ends unless `take` has returned and the whole answer has come. Throws a `ProblemError`
 * of `take` as it is, and otherwise `network` or `timeout`, with a detail for the log.
 */
export async function askServer<T>(
  request: ServerRequest,
  take: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const { baseUrl, path, headers, bounds, holdMs = 0, stop, asked = CLOUD } = request;
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  // AbortSignal.any is not used: `stop` lives as long as the agent and would hold on to a part of every signal derived
  // from it.
  const end = new AbortController();
  const cut = () => end.abort();
  let late = false;
  let via = '';
  const timer = setTimeout(() => {
    late = true;
    cut();
  }, bounds.totalMs + holdMs);
  stop.addEventListener('abort', cut);
  if (stop.aborted) cut();
  try {
    const proxy = proxyAgents(url);
    if (proxy !== undefined) via = ` through the proxy ${proxy.name}`;
    const kept = proxy?.kept ?? (url.protocol === 'https:' ? KEPT_HTTPS : KEPT_HTTP);
    const fresh = proxy?.fresh ?? (false as const);
    const options = {
      headers: { 'accept-encoding': 'identity', ...headers },
      agent: Math.random() < RENEWED_SHARE ? fresh : kept,
      timeout: bounds.idleMs + holdMs,
      signal: end.signal,
    } as const;
    const response = await send(url, options, { idleMs: bounds.idleMs, asked, fresh, proxy: proxy?.name });
    let taken = false;
    try {
      const answer = await take(response);
      taken = true;
      return answer;
    } finally {
      // Who refuses is not asked again over the same connection: another replica may not.
      if (taken && response.complete) {
        // The connection is free in the next turn of the event loop after what nobody has read is let go.
        response.resume();
        await setImmediate();
      } else response.destroy();
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (late) {
      const detail = `No whole answer came from ${url.origin} within ${(bounds.totalMs + holdMs) / 1000} s.`;
      throw new ProblemError('timeout', detail, [], { cause: error });
    }
    const remedy = UNREACHED.has((error as NodeJS.ErrnoException).code ?? '') ? reach(asked) : '';
    const detail = `${asked.whom} at ${url.origin} could not be asked${via}: ${causeOf(error)}${remedy}.`;
    throw new ProblemError('network', detail, [], { cause: error });
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', cut);
  }
}

interface Sending {
  idleMs: number;
  asked: ServerName;
  /** Makes a connection for one request. */
  fresh: Agent | false;
  /** The address of the proxy on the way. */
  proxy: string | undefined;
}

function send(url: URL, options: RequestOptions, sending: Sending): Promise<IncomingMessage> {
  const { idleMs, asked, fresh, proxy } = sending;
  const { whom } = asked;
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const refused = (answer: number | string): ProblemError => {
      const setting = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
      const detail = `The proxy ${proxy} answered ${answer} instead of leading to ${url.origin}: check ${setting}, or name the host in NO_PROXY.`;
      return new ProblemError('network', detail);
    };
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (received) => {
      // Nobody but a proxy answers this (RFC 9110 section 15.5.8).
      if (proxy !== undefined && received.statusCode === 407) request.destroy(refused(407));
      else resolve(received);
    });
    let response: IncomingMessage | undefined;
    request.on('response', (received) => {
      response = received;
      received.socket.setTimeout(idleMs);
    });
    // This stays in force while the body is received: it ends the response with this error.
    request.on('timeout', () => {
      const silence = response === undefined ? (options.timeout ?? 0) : idleMs;
      const error = new ProblemError('timeout', `${whom} at ${url.origin} was silent for ${silence / 1000} s.`);
      response?.destroy(error);
      request.destroy(error);
    });
    request.on('error', (error) => {
      // The server may have ended a kept connection as it was used again (RFC 9112 section 9.3.1).
      const ended = request.reusedSocket && response === undefined && performance.now() - sentAt < ENDED_MS;
      if (!ended || options.signal?.aborted || error instanceof ProblemError) reject(error);
      else resolve(send(url, { ...options, agent: fresh }, sending));
    });
    // What a proxy answers instead of opening a tunnel would be handed on as the server's answer. To an http address there is none.
    request.on('proxyConnect', ({ statusCode }: { statusCode?: number }) => {
      if (statusCode === undefined || statusCode === 200) return;
      request.destroy(refused(Number.isNaN(statusCode) ? 'what is no HTTP' : statusCode));
    });
    request.end();
  });
}

/** Nothing listens at the address, or the name is unknown. */
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND']);
const reach = ({ whom, setting }: ServerName) => `: check ${setting} and that ${whom.toLowerCase()} runs there`;

function causeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isPlainServer(error as NodeJS.ErrnoException)) return `${PLAIN_SERVER} (${code})`;
  // If several addresses fail, the error is an AggregateError whose own message is empty.
  return message || code || String(error);
}

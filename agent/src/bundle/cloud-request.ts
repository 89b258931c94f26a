import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ProblemError } from '@authz-service/core/problem';
import { isPlainServer, PLAIN_SERVER } from './plain-server.js';

/** How long an answer is waited for. */
export interface RequestBounds {
  /** The longest silence on the connection, in milliseconds. */
  idleMs: number;
  /** From the first byte sent to the last received, in milliseconds. */
  totalMs: number;
}

export interface CloudRequest {
  cloudUrl: URL;
  /** Below the path of the cloud's URL. */
  path: string;
  headers: Record<string, string>;
  bounds: RequestBounds;
  /** For how long the cloud has been asked to hold its answer; comes on top of the bounds. */
  holdMs?: number;
  stop: AbortSignal;
}

/**
 * Sends a GET and gives the answer to `take`, after which the connection ends. Throws what `take` throws as
 * `ProblemError`, else `network` or `timeout`, in words fit for the log.
 */
export async function askCloud<T>(request: CloudRequest, take: (response: IncomingMessage) => Promise<T>): Promise<T> {
  const { cloudUrl, path, headers, bounds, holdMs = 0, stop } = request;
  const url = new URL(cloudUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  // Not AbortSignal.any: of each signal made of it, `stop`, which lives as long as the agent, would keep something for good.
  const end = new AbortController();
  const cut = () => end.abort();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    cut();
  }, bounds.totalMs + holdMs);
  stop.addEventListener('abort', cut);
  if (stop.aborted) cut();
  try {
    const options = {
      headers: { 'accept-encoding': 'identity', ...headers },
      // A connection of its own: nothing of an earlier, broken exchange can be taken for this one's answer.
      agent: false,
      timeout: bounds.idleMs + holdMs,
      signal: end.signal,
    } as const;
    const response = await send(url, options, bounds.idleMs);
    try {
      return await take(response);
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (late) {
      const detail = `No whole answer came from ${url.origin} within ${(bounds.totalMs + holdMs) / 1000} s.`;
      throw new ProblemError('timeout', detail, [], { cause: error });
    }
    const remedy = UNREACHED.has((error as NodeJS.ErrnoException).code ?? '') ? REACH : '';
    const detail = `The cloud at ${url.origin} could not be asked: ${causeOf(error)}${remedy}.`;
    throw new ProblemError('network', detail, [], { cause: error });
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', cut);
  }
}

function send(url: URL, options: RequestOptions, idleMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    let response: IncomingMessage | undefined;
    request.on('response', (received) => {
      response = received;
      received.socket.setTimeout(idleMs);
    });
    // Stays in force while the body is received, where it ends the response with this error.
    request.on('timeout', () => {
      const silence = response === undefined ? (options.timeout ?? 0) : idleMs;
      const error = new ProblemError('timeout', `The cloud at ${url.origin} was silent for ${silence / 1000} s.`);
      response?.destroy(error);
      request.destroy(error);
    });
    request.on('error', reject);
    request.end();
  });
}

/** Nothing listens there, or nothing is called so. */
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND']);
const REACH = ': check SERVICE_CLOUD_URL, and that the cloud runs there';

function causeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isPlainServer(error as NodeJS.ErrnoException)) return `${PLAIN_SERVER} (${code})`;
  // Several addresses tried in vain give an error of errors, whose own message is empty.
  return message || code || String(error);
}

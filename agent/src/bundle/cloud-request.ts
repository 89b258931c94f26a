import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ProblemError } from '@authz-service/core/problem';
import { isPlainServer, PLAIN_SERVER } from './plain-server.js';

/** The time limits for an answer. */
export interface RequestBounds {
  /** The longest silence on the connection, in milliseconds. */
  idleMs: number;
  /** From the first byte sent to the last received, in milliseconds. */
  totalMs: number;
}

/** Who is asked, as errors name it, and the setting with its address. */
export interface Asked {
  whom: string;
  setting: string;
}

const CLOUD: Asked = { whom: 'The cloud', setting: 'SERVICE_CLOUD_URL' };

export interface CloudRequest {
  cloudUrl: URL;
  /** A path below that of the cloud's URL. */
  path: string;
  headers: Record<string, string>;
  bounds: RequestBounds;
  /** How long the cloud was asked to hold its answer; this is added to the limits. */
  holdMs?: number;
  stop: AbortSignal;
  /** By default the cloud. */
  asked?: Asked;
}

/**
 * Sends a GET and passes the answer to `take`, after which the connection ends. Throws a `ProblemError` of `take` as it
 * is, and otherwise `network` or `timeout`, with a detail for the log.
 */
export async function askCloud<T>(request: CloudRequest, take: (response: IncomingMessage) => Promise<T>): Promise<T> {
  const { cloudUrl, path, headers, bounds, holdMs = 0, stop, asked = CLOUD } = request;
  const url = new URL(cloudUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  // AbortSignal.any is not used: `stop` lives as long as the agent and would hold on to a part of every signal derived
  // from it.
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
      // Each request has its own connection, so that no part of an earlier, broken exchange can be taken for this
      // answer.
      agent: false,
      timeout: bounds.idleMs + holdMs,
      signal: end.signal,
    } as const;
    const response = await send(url, options, bounds.idleMs, asked);
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
    const remedy = UNREACHED.has((error as NodeJS.ErrnoException).code ?? '') ? reach(asked) : '';
    const detail = `${asked.whom} at ${url.origin} could not be asked: ${causeOf(error)}${remedy}.`;
    throw new ProblemError('network', detail, [], { cause: error });
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', cut);
  }
}

function send(url: URL, options: RequestOptions, idleMs: number, { whom }: Asked): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
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
    request.on('error', reject);
    request.end();
  });
}

/** Nothing listens at the address, or the name is unknown. */
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND']);
const reach = ({ whom, setting }: Asked) => `: check ${setting} and that ${whom.toLowerCase()} runs there`;

function causeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isPlainServer(error as NodeJS.ErrnoException)) return `${PLAIN_SERVER} (${code})`;
  // If several addresses fail, the error is an AggregateError whose own message is empty.
  return message || code || String(error);
}

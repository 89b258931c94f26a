import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { statusReport } from '@authz-service/embedded/status';
import { timeSlicing } from '@authz-service/embedded/time-slicing';
import { ENDPOINTS } from '@authz-service/pdp/endpoints/endpoints';
import type { AnsweredRequest, RequestSpan, Tracing } from '@authz-service/pdp/tracing/tracing';
import { shownProblem } from '@authz-service/pdp/transport/problem-document';
import { refuseQuery } from '@authz-service/pdp/transport/refuse-query';
import { requestIdOf } from '@authz-service/pdp/transport/request-id';
import { DRAINING } from '@authz-service/pdp/transport/stop-signal';
import type { CallOptions } from './agent-call.js';
import { endpointHandler } from './endpoint-handler.js';
import { sendJson, sendProblem, sendText } from './respond.js';

/** The status of a request whose caller did not wait, as proxies log it. */
const CLIENT_GONE = 499;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Routes = Map<string, { [method: string]: Handler }>;

export interface ServerOptions extends Omit<CallOptions, 'slicing' | 'spanOf'> {
  /** Absent unless requests are traced. */
  tracing?: Tracing | undefined;
  /** Whether callers should go elsewhere, though they are still answered. */
  isDraining(): boolean;
}

/**
 * The agent's HTTP server on Node's own, because every layer above it would cost more than a decision. It asks for no
 * credential: everybody who can reach the port is trusted (SECURITY.md).
 */
export function createAgentServer(options: ServerOptions): Server {
  const spans = new WeakMap<IncomingMessage, RequestSpan>();
  const spanOf = (request: IncomingMessage) => spans.get(request);
  const routes = routesOf({ ...options, slicing: timeSlicing, spanOf });
  return createServer(
    {
      // Limits on what a slow or hostile caller can hold open.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      // Longer than callers keep idle connections, so that they close first and no request meets a closing connection.
      keepAliveTimeout: 75_000,
    },
    (request, response) => {
      if (options.isDraining()) response.shouldKeepAlive = false;
      const url = originForm(request.url ?? '/');
      const query = url.indexOf('?');
      const path = query < 0 ? url : url.slice(0, query);
      const span = options.tracing?.begin(request);
      if (span !== undefined) {
        spans.set(request, span);
        endWith(response, span, {
          method: request.method ?? '',
          route: routes.has(path) ? path : 'unknown',
          requestId: requestIdOf(request),
        });
      }
      try {
        const handler = handlerOf(routes, request, response, path);
        if (query >= 0 && request.method === 'POST') refuseQuery(path, url.slice(query + 1));
        handler(request, response);
      } catch (error) {
        sendProblem(request, response, shownProblem(error));
      }
    },
  );
}

/** Ends the span with the answer, or when the caller has gone. */
function endWith(response: ServerResponse, span: RequestSpan, asked: Omit<AnsweredRequest, 'status'>): void {
  response.once('close', () => {
    span.end({ ...asked, status: response.writableFinished ? response.statusCode : CLIENT_GONE });
  });
}

function routesOf(options: CallOptions & ServerOptions): Routes {
  const { state, metrics, isDraining } = options;
  const get = (handler: Handler) => ({ GET: handler, HEAD: handler });
  const endpoints = ENDPOINTS.map((endpoint) => {
    const handler = endpointHandler(endpoint, options);
    return [endpoint.path, endpoint.method === 'GET' ? get(handler) : { [endpoint.method]: handler }] as const;
  });
  return new Map<string, { [method: string]: Handler }>([
    ...endpoints,
    ['/v1/status', get((request, response) => sendJson(response, statusReport(state), requestIdOf(request)))],
    ['/livez', get((request, response) => sendJson(response, { status: 'ok' }, requestIdOf(request)))],
    ['/healthz', get((request, response) => sendJson(response, state.health(), requestIdOf(request)))],
    [
      '/readyz',
      get((request, response) => {
        if (isDraining()) throw new ProblemError('not_ready', DRAINING);
        state.current();
        sendJson(response, { status: 'ready' }, requestIdOf(request));
      }),
    ],
    [
      '/metrics',
      get((request, response) => {
        metrics.text().then((text) => sendText(response, 200, metrics.contentType, text, requestIdOf(request)));
      }),
    ],
  ]);
}

function handlerOf(routes: Routes, request: IncomingMessage, response: ServerResponse, path: string): Handler {
  const methods = routes.get(path);
  const handler = methods?.[request.method ?? ''];
  if (handler !== undefined) return handler;
  if (methods === undefined) {
    const known = [...routes.keys()].join(', ');
    throw new ProblemError('not_found', `There is nothing at ${path.slice(0, 200)}: the agent answers at ${known}.`);
  }
  const allowed = Object.keys(methods);
  response.setHeader('Allow', allowed.join(', '));
  const detail = `${request.method} is not offered at ${path}: use ${allowed.join(' or ')}.`;
  throw new ProblemError('method_not_allowed', detail);
}

/** A request may contain the whole URL, as for a proxy (RFC 9112 section 3.2.2). */
function originForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

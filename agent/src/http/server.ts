import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { Turns } from '@authz-service/core/turns';
import {
  AUTHZEN_PATHS,
  authzenConfiguration,
  CONFIGURATION_CACHE,
} from '@authz-service/core/wire/authzen-configuration';
import { statusReport } from '../status.js';
import { authorize } from './authorize.js';
import type { DecisionOptions } from './evaluation.js';
import { evaluations } from './evaluations.js';
import { requestIdOf, sendJson, sendProblem, sendText } from './respond.js';
import { search } from './search.js';

export interface ServerOptions extends DecisionOptions {
  /** The address under which callers reach the agent, without a slash at its end. */
  publicUrl(): string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The agent's HTTP server, on Node's own: every layer above it would cost more than a decision. It asks for no
 * credential: who reaches the port is trusted (specification section 5.4).
 */
export function createAgentServer(options: ServerOptions): Server {
  const routes = routesOf(options);
  return createServer(
    {
      // Bounds on what a slow or hostile caller can hold open.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      // Longer than callers keep idle connections, so that they close first and no request meets a closing one.
      keepAliveTimeout: 75_000,
    },
    (request, response) => {
      const url = originForm(request.url ?? '/');
      const query = url.indexOf('?');
      const path = query < 0 ? url : url.slice(0, query);
      const methods = routes.get(path);
      const handler = methods?.[request.method ?? ''];
      const search = query < 0 ? '' : url.slice(query + 1);
      if (handler !== undefined && search !== '' && request.method === 'POST')
        refuseQuery(request, response, path, search);
      else if (handler !== undefined) handler(request, response);
      else if (methods !== undefined) refuseMethod(request, response, path, Object.keys(methods));
      else refusePath(request, response, path, [...routes.keys()]);
    },
  );
}

function routesOf(options: ServerOptions): Map<string, { [method: string]: Handler }> {
  const { state, metrics, publicUrl } = options;
  const turns = new Turns(() => performance.now());
  const decide = { POST: authorize(options) };
  const searchFor = (kind: 'subject' | 'resource' | 'action') => ({ POST: search(kind, { ...options, turns }) });
  const get = (handler: Handler) => ({ GET: handler, HEAD: handler });
  return new Map<string, { [method: string]: Handler }>([
    ['/v1/authorize', decide],
    [AUTHZEN_PATHS.evaluation, decide],
    [AUTHZEN_PATHS.evaluations, { POST: evaluations({ ...options, turns }) }],
    [AUTHZEN_PATHS.subject, searchFor('subject')],
    [AUTHZEN_PATHS.resource, searchFor('resource')],
    [AUTHZEN_PATHS.action, searchFor('action')],
    [
      AUTHZEN_PATHS.configuration,
      get((request, response) => {
        response.setHeader('Cache-Control', CONFIGURATION_CACHE);
        sendJson(response, authzenConfiguration(publicUrl()), requestIdOf(request));
      }),
    ],
    ['/v1/status', get((request, response) => sendJson(response, statusReport(state), requestIdOf(request)))],
    ['/healthz', get((request, response) => sendJson(response, state.health(), requestIdOf(request)))],
    [
      '/readyz',
      get((request, response) => {
        if (state.served !== undefined) sendJson(response, { status: 'ready' }, requestIdOf(request));
        else
          sendProblem(request, response, new ProblemError('not_ready', 'No bundle has come from cache or cloud yet.'));
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

/** A request may name the whole address, as for a proxy (RFC 9112 section 3.2.2). */
function originForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

/** A parameter that means nothing must not look as if it did, like `?tenant=`: the cloud refuses it, too. */
function refuseQuery(request: IncomingMessage, response: ServerResponse, path: string, search: string): void {
  const [name = ''] = new URLSearchParams(search).keys();
  const detail = `The query parameter "${name.slice(0, 100)}" means nothing here: ${path} takes none.`;
  sendProblem(request, response, new ProblemError('invalid_request', detail));
}

function refuseMethod(request: IncomingMessage, response: ServerResponse, path: string, allowed: string[]): void {
  response.setHeader('Allow', allowed.join(', '));
  const detail = `${request.method} is not offered at ${path}: use ${allowed.join(' or ')}.`;
  sendProblem(request, response, new ProblemError('method_not_allowed', detail));
}

function refusePath(request: IncomingMessage, response: ServerResponse, path: string, known: string[]): void {
  const detail = `There is nothing at ${path.slice(0, 200)}: the agent answers at ${known.join(', ')}.`;
  sendProblem(request, response, new ProblemError('not_found', detail));
}

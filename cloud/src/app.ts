import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { Cloud } from './cloud.js';
import { Exchange } from './http/exchange.js';
import { isExpected, problemReply } from './http/problem-reply.js';
import type { Reply } from './http/reply.js';
import type { Route } from './http/route.js';
import { finish, serve } from './http/serve.js';
import { allRoutes } from './routes/routes.js';

/** What answers requests: a listener for a `node:http` server. */
export function createApp(cloud: Cloud): (request: IncomingMessage, response: ServerResponse) => void {
  const routes = allRoutes(cloud);
  const decide = routes.find((route) => route.path === '/v1/authorize');
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const app = routed(cloud, routes, (request) => exchanges.get(request));
  return (request, response) => {
    const exchange = new Exchange(request, response, cloud.log, cloud.metrics);
    if (!cloud.ready()) response.shouldKeepAlive = false;
    // Decisions go around the router: it costs several times what a decision does.
    if (decide && request.method === 'POST' && exchange.pathname === decide.path) {
      void serve(cloud, decide, exchange, {});
      return;
    }
    exchanges.set(request, exchange);
    app(request, response);
  };
}

function routed(
  cloud: Cloud,
  routes: readonly Route[],
  exchangeOf: (request: Request) => Exchange | undefined,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  const answer = (request: Request, response: Response, make: (exchange: Exchange) => Reply) => {
    const exchange = exchangeOf(request);
    if (exchange) finish(request, response, make(exchange));
  };
  for (const [path, own] of byPath(routes)) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of own) {
      app[route.method.toLowerCase() as 'get'](pattern, async (request, response) => {
        const exchange = exchangeOf(request);
        if (exchange) await serve(cloud, route, exchange, request.params as Record<string, string>);
        else response.destroy();
      });
    }
    const allow = allowed(own);
    app.all(pattern, (request, response) =>
      answer(request, response, (exchange) => {
        exchange.route = path;
        if (request.method === 'OPTIONS') return { status: 204, headers: { allow } };
        return problemReply(otherMethod(request.method, path, allow), exchange.requestId, { headers: { allow } });
      }),
    );
  }
  app.use((request, response) =>
    answer(request, response, ({ requestId }) => problemReply(noRoute(request.path), requestId)),
  );

  const failed: ErrorRequestHandler = (error: unknown, request, response, _next) =>
    answer(request, response, (exchange) => {
      // The router refuses percent escapes that are none.
      const problem = error instanceof URIError ? new ProblemError('invalid_request', 'The path is malformed.') : error;
      if (!isExpected(problem)) exchange.log.error({ err: error }, 'unexpected error');
      return problemReply(problem, exchange.requestId);
    });
  app.use(failed);
  return app;
}

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

function allowed(routes: readonly Route[]): string {
  const methods = new Set<string>(routes.map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

function otherMethod(method: string, path: string, allow: string): ProblemError {
  return new ProblemError('method_not_allowed', `${method} is not offered at ${path}: use one of ${allow}.`);
}

function noRoute(path: string): ProblemError {
  return new ProblemError(
    'not_found',
    `There is nothing at "${path.slice(0, 200)}": /openapi.json lists what there is.`,
  );
}

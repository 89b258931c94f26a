import type { IncomingMessage, ServerResponse } from 'node:http';
import { append } from '@authz-service/core/collections/append';
import { ProblemError } from '@authz-service/core/problem';
import { type Request, type Response, Router } from 'express';
import type { Cloud } from './cloud.js';
import { guardConsole, isConsolePath, isConsoleRoute } from './console/console-edge.js';
import { Exchange } from './http/exchange.js';
import { send } from './http/reply.js';
import type { Route } from './http/route.js';
import { refuse, serve } from './http/serve.js';
import { consoleSite } from './routes/console-site.js';
import { mountedRoutes } from './routes/mounted-routes.js';
import { allRoutes } from './routes/routes.js';

/** A path that the guard of the console and the router read alike: in others, the router looks for a host. */
const TARGET = /^(?:\/[^?#\s\\]*(?:\?[^#\s]*)?|\*)$/;

/** The request listener for a `node:http` server. */
export function createApp(cloud: Cloud): (request: IncomingMessage, response: ServerResponse) => void {
  const routes = allRoutes(cloud);
  const route = router(cloud, [...routes, ...mountedRoutes(routes)]);
  const site = consoleSite();
  const below = (exchange: Exchange) => {
    const { pathname, request, response } = exchange;
    guardConsole(request, response, { pathname, hosts: cloud.hosts(), publicUrl: cloud.publicUrl() });
    if (isConsoleRoute(pathname)) route(exchange);
    else if (request.method === 'GET' || request.method === 'HEAD') serve(cloud, site, exchange, { path: pathname });
    else otherMethod(exchange, response, '/console', 'GET, HEAD, OPTIONS');
  };
  const handle = (exchange: Exchange): void => {
    if (!TARGET.test(exchange.request.url ?? '')) {
      const detail = 'The request target is malformed: it must be a path, without "\\", "#" and white space.';
      refuse(exchange, new ProblemError('invalid_request', detail));
      return;
    }
    try {
      if (isConsolePath(exchange.pathname)) below(exchange);
      else route(exchange);
    } catch (error) {
      refuse(exchange, error);
    }
  };
  return (request, response) => {
    const exchange = new Exchange(request, response, cloud);
    const { span } = exchange;
    if (span === undefined) handle(exchange);
    else span.run(() => handle(exchange));
  };
}

/** The response that the router hands on with a request. */
type Answering = Response<unknown, { exchange: Exchange }>;

/** Finds the route of a request. Anything else is answered here: other methods, unknown paths, malformed paths. */
function router(cloud: Cloud, routes: readonly Route[]): (exchange: Exchange) => void {
  // A whole Express application would give each request and answer a prototype of its own, with which they take more memory.
  const found = Router({ caseSensitive: true, strict: true });
  for (const [path, own] of byPath(routes)) {
    const at = found.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const route of own) {
      at[route.method.toLowerCase() as 'get']((request, { locals }: Answering) =>
        serve(cloud, route, locals.exchange, request.params as Record<string, string>),
      );
    }
    at.all((_request, response: Answering) => otherMethod(response.locals.exchange, response, path, allowed(own)));
  }
  const tops = new Set(routes.map(({ path }) => topOf(path)));
  return (exchange) => {
    const response = exchange.response as Answering;
    response.locals = { exchange };
    found(exchange.request as Request, response, (error: unknown) =>
      refuse(exchange, unrouted(error) ?? noRoute(exchange.pathname, tops)),
    );
  };
}

/** Why the router gives up a request; undefined if it only found no route. */
function unrouted(error: unknown): unknown {
  // It refuses invalid percent escapes.
  if (!(error instanceof URIError)) return error ?? undefined;
  return new ProblemError('invalid_request', 'The path is malformed: its percent escapes are not valid UTF-8.');
}

function otherMethod(exchange: Exchange, response: ServerResponse, path: string, allow: string): void {
  const method = exchange.request.method ?? '';
  exchange.route = path;
  if (method === 'OPTIONS') {
    send(response, { status: 204, headers: { allow } });
    return;
  }
  const detail = `${method} is not offered at ${path}: use one of ${allow}.`;
  refuse(exchange, new ProblemError('method_not_allowed', detail), { allow });
}

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) append(paths, route.path, route);
  return paths;
}

function allowed(routes: readonly Route[]): string {
  const methods = new Set<string>(routes.map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

/** The first segment of a path. */
function topOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** If one of the service's paths follows another segment, the client's base address is wrong. */
function noRoute(path: string, tops: ReadonlySet<string>): ProblemError {
  const segments = path.slice(0, 200).split('/').slice(1);
  const at = segments.findIndex((segment) => tops.has(segment));
  const remedy =
    at > 0
      ? `remove "/${segments.slice(0, at).join('/')}" from the address of the service (SERVICE_CLOUD_URL).`
      : '/openapi.json lists all paths.';
  return new ProblemError('not_found', `There is nothing at "${path.slice(0, 200)}": ${remedy}`);
}

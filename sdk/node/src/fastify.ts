import type { DecisionPoint } from './decision-point.js';
import { type GuardOptions, type HttpRequest, type Mapper, PROBLEM_JSON, refusalOf } from './guard.js';

/** The part of a Fastify reply that is used. */
interface Reply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

/** A request of any route: what its parameters, query and body hold is not known. */
interface AnyRequest extends Pick<HttpRequest, 'method' | 'url' | 'headers'> {
  readonly params: unknown;
  readonly query: unknown;
}

/**
 * A handler for routes whose requests are `R`s, and for every route where the mapper takes requests of any. TypeScript infers `R`
 * within a route from the second signature.
 */
interface PreHandler<R> {
  (request: HttpRequest extends R ? AnyRequest : R, reply: Reply): Promise<unknown>;
  (request: R, reply: Reply): Promise<unknown>;
}

/**
 * A `preHandler` for Fastify. It lets an allowed request through, and otherwise answers 403, 503 if the question could not be
 * decided, 400 if it is malformed, or 404 if the mapper says `NOT_FOUND`. An error of the mapper becomes an error of the route.
 * Outside a route a mapper's request has the members that all have, and within one the route's own.
 */
export function guard<R = HttpRequest>(
  client: Pick<DecisionPoint, 'decide'>,
  mapper: Mapper<R>,
  options: GuardOptions<R> = {},
): PreHandler<R> {
  return async (request: unknown, reply: Reply): Promise<unknown> => {
    const refusal = await refusalOf(client, request as R, mapper, options);
    if (refusal === undefined) return undefined;
    reply.code(refusal.status);
    reply.header('content-type', PROBLEM_JSON);
    reply.send(JSON.stringify(refusal));
    return reply;
  };
}

export { decisionOf, NOT_FOUND } from './guard.js';

import type { DecisionClient } from './decision-client.js';
import { type GuardOptions, type Mapper, PROBLEM_JSON, refusalOf } from './guard.js';

/** The part of a Fastify reply that is used. */
interface Reply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

/**
 * A `preHandler` for Fastify. It lets an allowed request through, and otherwise answers 403, 503 if the question could not be
 * decided, 400 if it is malformed, or 404 if the mapper says `NOT_FOUND`. An error of the mapper becomes an error of the route.
 */
export function guard<R>(client: Pick<DecisionClient, 'decide'>, mapper: Mapper<R>, options: GuardOptions<R> = {}) {
  return async (request: R, reply: Reply): Promise<unknown> => {
    const refusal = await refusalOf(client, request, mapper, options);
    if (refusal === undefined) return undefined;
    reply.code(refusal.status);
    reply.header('content-type', PROBLEM_JSON);
    reply.send(JSON.stringify(refusal));
    return reply;
  };
}

export { decisionOf, NOT_FOUND } from './guard.js';

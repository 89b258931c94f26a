import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { authenticate } from '../auth/authenticate.js';
import { type Credential, demand } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { AbortedError, isJsonType, parseJson, readBody } from './body.js';
import type { Exchange } from './exchange.js';
import { isExpected, problemReply } from './problem-reply.js';
import { parseQuery } from './query.js';
import { type Reply, send } from './reply.js';
import type { BodyRule, Route, SecuredCall } from './route.js';

/** Takes one request through a route: credential, scope, query, body, answer. Nothing it throws reaches the caller. */
export async function serve(
  cloud: Cloud,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const { request, response } = exchange;
  exchange.route = route.path;
  let reply: Reply;
  try {
    reply = await answer(cloud, route, exchange, params);
  } catch (error) {
    if (error instanceof AbortedError) return;
    if (!isExpected(error)) exchange.log.error({ err: error, route: route.path }, failure(error));
    reply = problemReply(error, exchange.requestId, { sent: request.headers.authorization !== undefined });
  }
  finish(request, response, reply);
}

async function answer(
  cloud: Cloud,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { request, requestId, log } = exchange;
  const now = cloud.now();
  let credential: Credential | undefined;
  if (route.anyOf) {
    credential = await authenticate(request.headers.authorization, { ...cloud, now });
    exchange.credential = credential;
    if (route.anyOf.length > 0) demand(credential, route.anyOf);
  }
  const query = route.query && parseQuery(route.query, exchange.search);
  const body = route.body && (await takeBody(request, route.body));
  return await route.handle({
    requestId,
    params,
    query,
    body,
    headers: request.headers,
    now,
    log,
    credential,
  } as SecuredCall);
}

async function takeBody(request: IncomingMessage, rule: BodyRule<unknown>): Promise<unknown> {
  if (rule.form)
    return rule.parse({ type: request.headers['content-type'], bytes: await readBody(request, rule.limitBytes) });
  const type = request.headers['content-type'];
  if (!isJsonType(type)) {
    throw new ProblemError(
      rule.wrongType,
      `The content type is ${type === undefined ? 'missing' : `"${type.slice(0, 100)}"`}: send JSON as "application/json".`,
    );
  }
  try {
    return rule.parse(parseJson(await readBody(request, rule.limitBytes)));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'unsupported_media_type') throw error;
    throw new ProblemError(rule.wrongType, error.detail);
  }
}

/** A body that has not been read to its end is not waited for: the connection closes behind the answer. */
export function finish(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (!request.complete && (request.headers['content-length'] ?? '0') !== '0') response.shouldKeepAlive = false;
  send(response, reply);
}

function failure(error: unknown): string {
  return error instanceof ProblemError ? error.detail : 'unexpected error';
}

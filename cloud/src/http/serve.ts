import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { isJsonType, parseJsonBody } from '@authz-service/core/wire/json-body';
import { closeLingering } from '@authz-service/core/wire/lingering-close';
import { authenticate } from '../auth/authenticate.js';
import { type Credential, demand } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { AbortedError, readBody } from './body.js';
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
  exchange.route = route.path;
  try {
    send(exchange.response, await answer(cloud, route, exchange, params));
  } catch (error) {
    if (error instanceof AbortedError) return;
    refuse(exchange, error);
  }
}

/** Answers with a problem; what the caller has not caused goes to the log with its cause. */
export function refuse(exchange: Exchange, error: unknown, headers: Record<string, string> = {}): void {
  const { request, response, requestId, route } = exchange;
  if (!isExpected(error)) exchange.log.error({ err: error, route }, failure(error));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The rest of the body is not waited for, so that the connection cannot carry another request.
  if (error instanceof ProblemError && error.code === 'payload_too_large' && !request.complete) {
    response.shouldKeepAlive = false;
    closeLingering(request.socket);
  }
  const sent = request.headers.authorization !== undefined;
  send(response, problemReply(error, requestId, { sent, headers }));
}

async function answer(
  cloud: Cloud,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { request, requestId, log } = exchange;
  let credential: Credential | undefined;
  if (route.anyOf) {
    credential = await authenticateLogged(cloud, exchange);
    exchange.credential = credential;
    if (route.anyOf.length > 0) demand(credential, route.anyOf);
  }
  const query = route.query ? parseQuery(route.query, exchange.search) : noQuery(route, exchange.search);
  const body = route.body && (await takeBody(request, route.body));
  // A body may take minutes to come.
  const now = cloud.now();
  if (credential && route.body) cloud.credentials.assertStanding(credential, now);
  return await route.handle({
    requestId,
    params,
    query,
    body,
    headers: request.headers,
    now,
    log,
    credential,
    // Made when asked for: most routes need neither.
    get address() {
      return cloud.clientAddresses.of(request);
    },
    get signal() {
      return goneSignal(exchange.response);
    },
    onGone: (callback: () => void) => {
      if (exchange.response.closed) callback();
      else exchange.response.once('close', callback);
    },
  } as SecuredCall);
}

async function authenticateLogged(cloud: Cloud, { request, log }: Exchange): Promise<Credential> {
  const { authorization } = request.headers;
  try {
    return await authenticate(authorization, { ...cloud, now: cloud.now() });
  } catch (error) {
    if (authorization !== undefined) log.warn({ address: cloud.clientAddresses.of(request) }, 'credential refused');
    throw error;
  }
}

/** Aborted when the connection closes before the answer is sent. */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const close = () => {
    if (!response.writableEnded) controller.abort(new AbortedError('the caller did not wait for the answer'));
  };
  if (response.closed) close();
  else response.once('close', close);
  return controller.signal;
}

/**
 * A parameter that means nothing must not look as if it did: `?tenant=` on a call that answers for the credential's own.
 * Routes open to all take what probes, caches and RFC 6749 section 3.2 let them be sent.
 */
function noQuery(route: Route, search: string): undefined {
  if (search === '' || route.anyOf === undefined) return;
  const [name = ''] = new URLSearchParams(search).keys();
  throw new ProblemError(
    'invalid_request',
    `The query parameter "${name.slice(0, 100)}" means nothing here: ${route.path} takes none.`,
  );
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
    return rule.parse(parseJsonBody(await readBody(request, rule.limitBytes)));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'unsupported_media_type') throw error;
    throw new ProblemError(rule.wrongType, error.detail);
  }
}

function failure(error: unknown): string {
  return error instanceof ProblemError ? error.detail : 'unexpected error';
}

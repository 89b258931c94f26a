import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { tokenOf } from '@authz-service/core/state/revision';
import { maxAgeOf } from '@authz-service/pdp/revision/max-age';
import { minRevisionOf } from '@authz-service/pdp/revision/min-revision';
import { jsonOf } from '@authz-service/pdp/transport/json-body';
import { closeAfterRefusal } from '@authz-service/pdp/transport/lingering-close';
import { readBody } from '@authz-service/pdp/transport/read-body';
import { refuseQuery } from '@authz-service/pdp/transport/refuse-query';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import { authenticate } from '../auth/authenticate.js';
import { networkOf } from '../auth/client-addresses.js';
import { type Credential, demand } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { assertStillValid } from '../console/assert-still-valid.js';
import { sessionToken } from '../console/session-cookie.js';
import type { Session } from '../console/sessions.js';
import type { Account, Costs, Parties } from '../limits/limits.js';
import { isScimPath, SCIM_TYPE, scimErrorDocument } from '../scim/scim-error.js';
import { AbortedError } from './aborted-error.js';
import { awaitRevision } from './await-revision.js';
import type { Exchange } from './exchange.js';
import { problemReply } from './problem-reply.js';
import { parseQuery } from './query.js';
import { refuseOld, tenantRead } from './refuse-old.js';
import { type Reply, send } from './reply.js';
import {
  type BodyRule,
  heedsFreshness,
  isDecision,
  isLimited,
  isManagement,
  type Route,
  type SessionCall,
} from './route.js';
import { ServedCall } from './served-call.js';

/**
 * Takes one request through a route: credential, scope, query, body, answer. No error reaches the caller as an
 * exception.
 */
export async function serve(
  cloud: Cloud,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  exchange.route = route.path;
  exchange.level = isRoutine(cloud, route) ? 'debug' : 'info';
  try {
    const reply = inEpoch(cloud, await answer(cloud, route, exchange, params));
    sendElsewhere(cloud, exchange);
    send(exchange.response, reply);
  } catch (error) {
    if (error instanceof AbortedError) return;
    sendElsewhere(cloud, exchange);
    refuse(exchange, error);
  }
}

/** Whether nobody wants a line of each such request: probes come every few seconds, and decisions by the thousand. */
function isRoutine({ decisionLog }: Cloud, route: Route): boolean {
  return !isLimited(route) || (isDecision(route) && !decisionLog);
}

/** A load balancer sends new connections to other processes while this one is cut off or stops, but not those that callers keep. */
function sendElsewhere(cloud: Cloud, { response }: Exchange): void {
  if (cloud.isCutOff() || cloud.draining() || !cloud.ready()) response.shouldKeepAlive = false;
}

/** A restored cloud gives the numbers of revisions again: what callers carry along names the epoch, too. */
function inEpoch({ bundleKeys: { epochName } }: Cloud, reply: Reply): Reply {
  const revision = reply.headers?.[REVISION_HEADER];
  if (epochName === undefined || typeof revision !== 'string') return reply;
  return { ...reply, headers: { ...reply.headers, [REVISION_HEADER]: tokenOf(revision, epochName) } };
}

/** Answers with a problem. Errors that the caller has not caused are logged with their cause. */
export function refuse(exchange: Exchange, error: unknown, headers: Record<string, string> = {}): void {
  const { request, response, requestId } = exchange;
  exchange.failed(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof ProblemError) closeAfterRefusal(error, request, response);
  const sent = request.headers.authorization !== undefined;
  const reply = problemReply(error, requestId, { sent, headers });
  send(response, isScimPath(exchange.pathname) ? asScim(reply, error, requestId) : reply);
}

/** The refusal as SCIM clients read it (RFC 7644 section 3.12). */
function asScim(reply: Reply, error: unknown, requestId: string): Reply {
  const { status, document } = scimErrorDocument(error, requestId);
  return { ...reply, status, body: { type: SCIM_TYPE, content: JSON.stringify(document) } };
}

async function answer(
  cloud: Cloud,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { request } = exchange;
  const account = isLimited(route) ? cloud.limits.account() : undefined;
  const use = account && ((costs: Costs, parties?: Parties) => charge(account, exchange, costs, parties));
  const unit = route.polls ? 'polls' : 'requests';
  use?.({ [unit]: 1 }, { address: networkOf(cloud.clientAddresses.of(request)) });
  let credential: Credential | undefined;
  let session: Session | undefined;
  if (route.anyOf) {
    if (isManagement(route)) cloud.assertFollowing();
    session =
      route.by === 'session'
        ? await cloud.sessions.authenticate(sessionToken(request.headers), cloud.now())
        : undefined;
    credential = session?.credential ?? (await authenticateLogged(cloud, exchange));
    exchange.credential = credential;
    cloud.credentialUses.note(credential);
    // Operators set the limits, and must be able to work whatever their tenant uses.
    if (!credential.grants.has('operator'))
      use?.({ [unit]: 1 }, { tenant: credential.tenant, credential: credential.id });
    if (route.anyOf.length > 0) demand(credential, route.anyOf);
  }
  const query = route.query ? parseQuery(route.query, exchange.search) : noQuery(route, exchange.search);
  if (route.body) use?.({ bytes: announcedBytes(request, route.body) });
  const body = route.body && (await takeBody(request, route.body, account));
  const call = new ServedCall(cloud, exchange, { params, query, body, credential, session, charge: use });
  const waited = credential && heedsFreshness(route) && (await assertFresh(cloud, credential, call));
  call.now = cloud.now();
  // A body may take minutes to arrive, and a revision seconds.
  if (credential && (route.body || waited)) await assertStillValid(cloud, credential, call.now);
  return await route.handle(call as SessionCall);
}

/** Waits for the revision that the request wants, and refuses it where that is too old. Returns whether it wants either. */
async function assertFresh(cloud: Cloud, credential: Credential, call: ServedCall): Promise<boolean> {
  const wanted = minRevisionOf(call.headers['service-min-revision']);
  if (wanted) await awaitRevision(cloud, credential.tenant, wanted, call);
  const maxAgeMs = maxAgeOf(call.headers['service-max-age']);
  if (maxAgeMs !== undefined) await refuseOld(cloud, tenantRead(cloud, credential, call.query), maxAgeMs);
  return wanted !== undefined || maxAgeMs !== undefined;
}

/** The answer tells what is left, and a refusal most of all. */
function charge(account: Account, { response }: Exchange, costs: Costs, parties?: Parties): void {
  try {
    account.charge(costs, parties);
  } finally {
    for (const [name, value] of Object.entries(account.headers())) response.setHeader(name, value);
  }
}

async function authenticateLogged(cloud: Cloud, exchange: Exchange): Promise<Credential> {
  const { request } = exchange;
  const { authorization } = request.headers;
  try {
    return await authenticate(authorization, cloud);
  } catch (error) {
    if (authorization !== undefined)
      exchange.log.warn({ address: cloud.clientAddresses.of(request) }, 'credential refused');
    throw error;
  }
}

/** Routes without a credential accept whatever probes and caches send, and what RFC 6749 section 3.2 allows. */
function noQuery(route: Route, search: string): undefined {
  if (route.anyOf !== undefined) refuseQuery(route.path, search);
}

/**
 * Returns what a body costs before it is read. Nobody pays for more than the route takes: a length that is only announced,
 * by anybody, must not shut out a whole tenant or address.
 */
function announcedBytes({ headers }: IncomingMessage, { limitBytes }: BodyRule<unknown>): number {
  const length = headers['content-length'];
  return length === undefined ? UNANNOUNCED_BYTES : Math.min(Number(length), limitBytes);
}

/** A body of unknown length is refused unread where nothing is left, and its other bytes are taken as they arrive. */
const UNANNOUNCED_BYTES = 1;

/** Several bodies that arrive together must not each take what is left for one. */
function countParts(request: IncomingMessage, account: Account, refuse: (error: unknown) => void): void {
  let paid = UNANNOUNCED_BYTES;
  const count = (piece: Buffer) => {
    const bytes = Math.max(0, piece.length - paid);
    paid = Math.max(0, paid - piece.length);
    try {
      account.chargePart({ bytes });
    } catch (error) {
      request.removeAllListeners('data').removeAllListeners('end').resume();
      refuse(error);
    }
  };
  request.prependListener('data', count);
}

/** A caller that goes away before its body has arrived sends nothing more: there is nobody left to answer. */
async function takeBody(request: IncomingMessage, rule: BodyRule<unknown>, account?: Account): Promise<unknown> {
  const body = await new Promise<Buffer | ProblemError>((resolve, reject) => {
    readBody(request, rule.limitBytes, resolve);
    if (account && request.headers['content-length'] === undefined) countParts(request, account, reject);
  });
  if (!rule.form) return rule.parse(jsonOf(request, body, rule.wrongType));
  if (body instanceof ProblemError) throw body;
  return rule.parse({ type: request.headers['content-type'], bytes: body });
}

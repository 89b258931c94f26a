import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemCode } from '@authz-service/core/problem';
import type { Logger } from 'pino';
import type * as z from 'zod';
import type { Credential, Grant } from '../auth/credential.js';
import type { Session } from '../console/sessions.js';
import type { Costs } from '../limits/limits.js';
import type { Reply } from './reply.js';

/** A request as routes see it, after the credential was verified and query and body were checked. */
export interface Call<Query = unknown, Body = unknown> {
  requestId: string;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  /** Milliseconds since the epoch. */
  now: number;
  log: Logger;
  /** The address of the caller: see `ClientAddresses`. */
  readonly address: string;
  /** Aborted with an `AbortedError` if the caller goes without waiting for the answer. */
  readonly signal: AbortSignal;
  /** Counts what the request uses, where the operator limits that. Throws `too_many_requests`. */
  charge(costs: Costs): void;
  /** Calls back once the answer is sent, or the caller has gone without waiting for it. */
  onGone(callback: () => void): void;
}

export interface SecuredCall<Query = unknown, Body = unknown> extends Call<Query, Body> {
  credential: Credential;
}

/** A request of somebody who is signed in to the console. */
export interface SessionCall<Query = unknown, Body = unknown> extends SecuredCall<Query, Body> {
  session: Session;
}

/** How a body is read. `schema` documents it; `parse` checks it and throws `invalid_request`. */
export interface BodyRule<Body> {
  limitBytes: number;
  schema: z.ZodType;
  parse(value: unknown): Body;
  /** The problem code for a wrong or missing content type. */
  wrongType: Extract<ProblemCode, 'invalid_request' | 'unsupported_media_type'>;
  /** JSON, unless the route reads the bytes itself. */
  form?: true;
}

/** The description of a route in the reference. */
export interface Operation {
  id: string;
  summary: string;
  tag: string;
  /** Answers by status, other than RFC 9457 problems. */
  responses: Record<
    number,
    { description: string; schema?: z.ZodType; type?: string; headers?: Record<string, string> }
  >;
  /** Problems beyond those that every such route can answer with. */
  problems?: ProblemCode[];
  /** The request headers that the route uses. */
  headers?: Record<string, string>;
}

interface RouteBase<Query, Body> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In OpenAPI's notation: `/v1/roles/{id}`. */
  path: string;
  operation: Operation;
  /** Whether it stores something, which can fail when the disk is full or the service stops. */
  writes?: true;
  /** Whether it is asked again and again for what is new, by whole fleets of one address. */
  polls?: true;
  query?: z.ZodType<Query>;
  body?: BodyRule<Body>;
}

/** A route as the server runs it. Routing, `Allow` and OpenAPI are all derived from the list of routes. */
export interface Route extends RouteBase<unknown, unknown> {
  /** The credential needs one of these scopes; absent for routes that need no credential. */
  anyOf?: readonly Grant[];
  /** The session of the console that stands for the credential, in place of a bearer token. */
  by?: 'session';
  handle(call: SecuredCall): Reply | Promise<Reply>;
}

/** A route that needs a credential with one of these scopes. An empty list accepts any valid credential. */
export function secured<Query = undefined, Body = undefined>(
  route: RouteBase<Query, Body> & {
    anyOf: readonly Grant[];
    handle(call: SecuredCall<Query, Body>): Reply | Promise<Reply>;
  },
): Route {
  return route as unknown as Route;
}

/** A route of the console alone, for those who are signed in and have one of these scopes. */
export function signedIn<Query = undefined, Body = undefined>(
  route: RouteBase<Query, Body> & {
    anyOf: readonly Grant[];
    handle(call: SessionCall<Query, Body>): Reply | Promise<Reply>;
  },
): Route {
  return { ...route, by: 'session' } as unknown as Route;
}

/** A route that needs no credential. */
export function open<Query = undefined, Body = undefined>(
  route: RouteBase<Query, Body> & { handle(call: Call<Query, Body>): Reply | Promise<Reply> },
): Route {
  return route as unknown as Route;
}

/** Counts one commit of so many changes. */
export function chargeCommit(charge: Call['charge'], changes: number): void {
  charge({ commits: 1, records: changes });
}

/** Whether a request may want a revision or a maximum age: commits are always judged at the newest revision. */
export function heedsFreshness({ method, anyOf }: Pick<Route, 'method' | 'anyOf'>): boolean {
  return anyOf !== undefined && (method === 'GET' || anyOf.includes('decisions'));
}

/** Whether requests are counted: probes must tell how the cloud is, whoever else asks from their address. */
export function isLimited({ path }: Pick<Route, 'path'>): boolean {
  return !['/livez', '/healthz', '/readyz', '/metrics'].includes(path);
}

/** Whether the route decides, or searches for what would be allowed. */
export function isDecision({ anyOf = [], by }: Pick<Route, 'anyOf' | 'by'>): boolean {
  return by !== 'session' && anyOf.includes('decisions');
}

/** Whether the route manages records and the like, in contrast to decisions and what agents need for them. */
export function isManagement({ anyOf = [] }: Pick<Route, 'anyOf'>): boolean {
  return anyOf.length > 0 && !anyOf.includes('decisions') && !anyOf.includes('bundle');
}

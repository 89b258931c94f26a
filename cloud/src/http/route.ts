import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemCode } from '@authz-service/core/problem';
import type { Logger } from 'pino';
import type * as z from 'zod';
import type { Credential, Grant } from '../auth/credential.js';
import type { Reply } from './reply.js';

/** One request, as routes see it: credential verified, query and body checked. */
export interface Call<Query = unknown, Body = unknown> {
  requestId: string;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  /** Milliseconds since the epoch. */
  now: number;
  log: Logger;
  /** Where it comes from: see `ClientAddresses`. */
  readonly address: string;
  /** Aborted with an `AbortedError` when the caller goes without waiting for the answer. */
  readonly signal: AbortSignal;
  /** Calls back once the answer is sent, or the caller has gone without waiting for it. */
  onGone(callback: () => void): void;
}

export interface SecuredCall<Query = unknown, Body = unknown> extends Call<Query, Body> {
  credential: Credential;
}

/** How a body is taken. `schema` documents it; `parse` checks it and throws `invalid_request`. */
export interface BodyRule<Body> {
  limitBytes: number;
  schema: z.ZodType;
  parse(value: unknown): Body;
  /** The problem code for a wrong or absent content type. */
  wrongType: Extract<ProblemCode, 'invalid_request' | 'unsupported_media_type'>;
  /** JSON, unless the route reads the bytes by itself. */
  form?: true;
}

/** What reference pages say of a route. */
export interface Operation {
  id: string;
  summary: string;
  tag: string;
  /** Answers by status that are no problems of RFC 9457. */
  responses: Record<number, { description: string; schema?: z.ZodType; type?: string }>;
  /** Problems beyond those that every route of its sort can answer with. */
  problems?: ProblemCode[];
  /** Request headers that mean something here. */
  headers?: Record<string, string>;
}

interface RouteBase<Query, Body> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As in OpenAPI: `/v1/roles/{id}`. */
  path: string;
  operation: Operation;
  /** Whether it stores something, which a full disk and the end of the service can keep it from. */
  writes?: true;
  query?: z.ZodType<Query>;
  body?: BodyRule<Body>;
}

/** A route as the server runs it. Routes are the one table from which routing, `Allow` and OpenAPI are made. */
export interface Route extends RouteBase<unknown, unknown> {
  /** The scopes of which the credential needs one; absent on routes open to all. */
  anyOf?: readonly Grant[];
  handle(call: SecuredCall): Reply | Promise<Reply>;
}

/** A route that needs a credential with one of these scopes. No scope in the list: any valid credential. */
export function secured<Query = undefined, Body = undefined>(
  route: RouteBase<Query, Body> & {
    anyOf: readonly Grant[];
    handle(call: SecuredCall<Query, Body>): Reply | Promise<Reply>;
  },
): Route {
  return route as unknown as Route;
}

/** A route that anybody may call. */
export function open<Query = undefined, Body = undefined>(
  route: RouteBase<Query, Body> & { handle(call: Call<Query, Body>): Reply | Promise<Reply> },
): Route {
  return route as unknown as Route;
}

import type { Decision } from '@authz-service/core/decision/api/decision';
import type { Engine } from '@authz-service/core/decision/api/engine';
import type { DecisionRequest } from '@authz-service/core/decision/api/request';
import type { ProblemCode, ProblemError } from '@authz-service/core/problem';
import type { TenantSearch } from '@authz-service/core/search/tenant-search';
import type * as z from 'zod';

/** One tenant at one revision. */
export interface TenantView {
  /** The id of the tenant. */
  id: string;
  revision: string;
  engine: Engine;
  search: TenantSearch;
}

/** What became of one question. */
export interface Evaluation {
  /** Absent where it could not be read. */
  request?: DecisionRequest;
  outcome: Decision | ProblemError;
  /** Evaluation time, in milliseconds; absent where it came to none. */
  ms?: number;
  /** The id of the record that the resource was found as, where there is no decision to tell it. */
  resourceId?: string;
  /** Its place in a batch: where it fails, the request does not. */
  index?: number;
}

/** One request, as its host (cloud or agent) lends it to an endpoint. */
export interface EndpointCall {
  /** Milliseconds since the epoch: the one moment at which all that the request asks is decided. */
  readonly now: number;
  /** For what is decided within one turn of the event loop. Throws `not_ready` where there is nothing to decide by. */
  engine(): Engine;
  /** Runs work of several turns on one revision, slice by slice beside other requests. Throws `not_ready`. */
  run<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T>;
  /** Counts and logs an evaluation, as the host does. */
  evaluated(evaluation: Evaluation): void;
  /** The address under which callers reach the host, without a slash at its end. */
  publicUrl(): string;
}

/** What cloud and agent answer alike: each makes a route of it, and OpenAPI describes it. */
export interface Endpoint<Asked = unknown> {
  method: 'GET' | 'POST';
  path: string;
  /** The id of the operation, and what it does. */
  operation: string;
  summary: string;
  /** The schema of the body; absent where there is none. */
  request?: z.ZodType;
  response: { description: string; schema: z.ZodType };
  /** The problems beyond those that every endpoint can answer with. */
  problems: readonly ProblemCode[];
  /** Whether anybody may ask, without a credential. */
  open: boolean;
  /** Whether a request is a decision, or several, and counts as one where it is refused before any. */
  decides: boolean;
  /** For how long the answer may be kept, as `Cache-Control` says it; unless given, not at all. */
  cacheControl?: string;
  /** Checks a body. Throws `invalid_request`. */
  parse(body: unknown): Asked;
  /** The body of the answer, at once where that takes one turn. Throws `ProblemError`. */
  answer(asked: Asked, call: EndpointCall): object | Promise<object>;
}

import type { Decision } from '@authz-service/core/access/api/decision';
import type { Budget, Engine } from '@authz-service/core/access/api/engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import type { ProblemCode, ProblemError } from '@authz-service/core/problem';
import type { DecisionRequest } from '@authz-service/core/request';
import type * as z from 'zod';

/** One tenant at one revision. */
export interface TenantView {
  /** The id of the tenant. */
  id: string;
  revision: string;
  engine: CompiledEngine;
  search: TenantSearch;
}

/** The outcome of one evaluation. */
export interface Evaluation {
  /** Absent if the request could not be read. */
  request?: DecisionRequest;
  outcome: Decision | ProblemError;
  /** The evaluation time, in milliseconds; absent if nothing was evaluated. */
  ms?: number;
  /** The id of the record that the resource was resolved to, if there is no decision that contains it. */
  resourceId?: string;
  /** Its place in a batch: if it fails, the request does not. */
  index?: number;
}

/** One request, as its host (cloud or agent) passes it to an endpoint. */
export interface EndpointCall {
  /** Milliseconds since the epoch: the one time for everything that the request asks. */
  readonly now: number;
  /** The engine for work within one turn of the event loop. Throws `not_ready` or `too_old`. */
  engine(): Engine;
  /** Runs work of several turns on one revision, in slices beside other requests. Throws as `engine` does. */
  run<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T>;
  /**
   * The age, in milliseconds, of the view or engine that the call got last; undefined if it is of a past moment, which no
   * budget binds. Throws `too_old` if the budget does not allow it.
   */
  ageWithin(budget: Budget): number | undefined;
  /** Counts and logs an evaluation, as the host does. */
  evaluated(evaluation: Evaluation): void;
  /** The URL under which callers reach the host, without a trailing slash. */
  publicUrl(): string;
}

/** An endpoint of both cloud and agent: each makes a route of it, and OpenAPI describes it. */
export interface Endpoint<Asked = unknown> {
  method: 'GET' | 'POST';
  path: string;
  /** The id of the operation, and its description. */
  operation: string;
  summary: string;
  /** The schema of the body; absent if there is none. */
  request?: z.ZodType;
  response: { description: string; schema: z.ZodType };
  /** The problems beyond those that every endpoint can answer with. */
  problems: readonly ProblemCode[];
  /** Whether the endpoint needs no credential. */
  open: boolean;
  /** Whether a request is one or several decisions, and counts as one if it is refused before any is made. */
  decides: boolean;
  /** The `Cache-Control` of the answer; if absent, the answer must not be stored. */
  cacheControl?: string;
  /** Checks a body. Throws `invalid_request`. */
  parse(body: unknown): Asked;
  /** The names of the resource types that it asks about. */
  about(asked: Asked): readonly string[];
  /** The body of the answer, returned directly if it takes one turn. Throws `ProblemError`. */
  answer(asked: Asked, call: EndpointCall): object | Promise<object>;
}

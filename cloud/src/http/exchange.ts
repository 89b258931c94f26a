import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestSpan } from '@authz-service/pdp/tracing/tracing';
import { requestIdOf } from '@authz-service/pdp/transport/request-id';
import type { Logger } from 'pino';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { noteFailure } from '../outages/note-failure.js';

/** A proxy may ask for `http://host/path`: its authority is not asked here, since the header `Host` says the same. */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

/** One request and its answer, for the log line and the metrics. */
export class Exchange {
  readonly requestId: string;
  readonly response: ServerResponse;
  readonly span: RequestSpan | undefined;
  readonly #cloud: Pick<Cloud, 'log' | 'metrics' | 'outages' | 'tracing'>;
  #log: Logger | undefined;
  readonly pathname: string;
  readonly search: string;
  /** The pattern of the route, once it is known. */
  route = 'unknown';
  /** The level of its line in the log. */
  level: 'debug' | 'info' = 'info';
  credential: Credential | undefined;

  constructor(
    readonly request: IncomingMessage,
    response: ServerResponse,
    cloud: Pick<Cloud, 'log' | 'metrics' | 'outages' | 'tracing'>,
  ) {
    const started = performance.now();
    this.requestId = requestIdOf(request) ?? randomUUID();
    this.span = cloud.tracing?.begin(request);
    this.response = response;
    this.#cloud = cloud;
    const url = originForm(request.url ?? '/');
    // The router reads the path anew, and must find the same.
    request.url = url;
    const mark = url.indexOf('?');
    this.pathname = mark < 0 ? url : url.slice(0, mark);
    this.search = mark < 0 ? '' : url.slice(mark + 1);
    response.setHeader('x-request-id', this.requestId);
    response.once('close', () => this.#close(performance.now() - started));
  }

  /** A log whose lines carry the request id. */
  get log(): Logger {
    this.#log ??= this.#cloud.log.child({ request_id: this.requestId, ...this.#traceIds });
    return this.#log;
  }

  /** Logs an error, unless the caller has caused it. */
  failed(error: unknown): void {
    noteFailure(error, this.route, { log: this.log, outages: this.#cloud.outages });
  }

  get #traceIds(): { trace_id?: string; span_id?: string } {
    return this.span === undefined ? {} : { trace_id: this.span.traceId, span_id: this.span.spanId };
  }

  #close(ms: number): void {
    const { request, response, route, credential } = this;
    const method = request.method ?? '';
    const status = response.writableFinished ? response.statusCode : 499;
    const { log, metrics } = this.#cloud;
    this.span?.end({ method, route, status, requestId: this.requestId });
    metrics.observeRequest(method, route, status, ms);
    const line = {
      request_id: this.requestId,
      ...this.#traceIds,
      method,
      route,
      status,
      ms: Math.round(ms * 1000) / 1000,
    };
    // What was refused is looked for, however routine the request is.
    log[status >= 400 ? 'info' : this.level](
      credential ? { ...line, tenant: credential.tenant, credential: credential.id } : line,
      'request',
    );
  }
}

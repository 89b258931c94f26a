import type { IncomingMessage } from 'node:http';

/** The traces of a program. */
export interface Tracing {
  /**
   * Begins the span of a request, below the one that its `traceparent` names (W3C Trace Context). Undefined if it is not sampled.
   */
  begin(request: IncomingMessage): RequestSpan | undefined;
  /** Runs a call of a database as a span below that of the request for which it is made, if there is one. */
  inDatabase<T>(system: string, operation: string, call: () => Promise<T>): Promise<T>;
  /** Sends what is recorded. */
  close(): Promise<void>;
}

/** The span of one request. */
export interface RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Does work for the request, so that spans of the database belong to it. */
  run<T>(work: () => T): T;
  end(answered: AnsweredRequest): void;
}

export interface AnsweredRequest {
  method: string;
  /** The pattern of the path. */
  route: string;
  status: number;
  requestId: string | undefined;
}

export interface TracedProgram {
  name: string;
  version: string;
  /** Told why spans do not arrive, once a minute at most. */
  onFailure(reason: string): void;
}

/** The variables that say where spans go. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/**
 * Starts tracing if the environment names a receiver of OTLP, as OpenTelemetry specifies. Only then are its libraries loaded. Throws
 * `invalid_config` for a sampler that does not exist.
 */
export async function startTracing(env: NodeJS.ProcessEnv, program: TracedProgram): Promise<Tracing | undefined> {
  if (env.OTEL_SDK_DISABLED === 'true' || !ENDPOINTS.some((name) => env[name])) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(env, program);
}

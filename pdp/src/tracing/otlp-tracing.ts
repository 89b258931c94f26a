import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  type Context,
  type DiagLogger,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type BatchSpanProcessorOptions, TracerProvider } from '@opentelemetry/sdk-trace';
import { samplerOf } from './sampler.js';
import type { AnsweredRequest, RequestSpan, TracedProgram, Tracing } from './tracing.js';

const propagator = new W3CTraceContextPropagator();
const HEADERS = {
  keys: (headers: IncomingMessage['headers']) => Object.keys(headers),
  get: (headers: IncomingMessage['headers'], name: string) => headers[name],
};

const MINUTE_MS = 60_000;

/** OpenTelemetry's own log, of which only errors count: that spans were not taken. */
function failuresTo(onFailure: (reason: string) => void): DiagLogger {
  const ignore = () => {};
  let heardAt = Number.NEGATIVE_INFINITY;
  const error = (reason: string) => {
    if (performance.now() - heardAt < MINUTE_MS) return;
    heardAt = performance.now();
    onFailure(messageIn(reason));
  };
  return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}

/** Errors arrive as JSON with their stack. */
function messageIn(reason: string): string {
  try {
    return String(JSON.parse(reason).message ?? reason);
  } catch {
    return reason;
  }
}

/** The bounds of batches, by the variables that OpenTelemetry has for them. */
function batchesOf(env: NodeJS.ProcessEnv): Omit<BatchSpanProcessorOptions, 'exporter'> {
  const number = (name: string) => (/^[1-9]\d{0,8}$/.test(env[name] ?? '') ? Number(env[name]) : undefined);
  const given = {
    scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
    maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Sends spans by OTLP over HTTP. Receiver, headers, resource and batches follow the variables of OpenTelemetry. */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #skips: (traceparent: string | undefined) => boolean;
  readonly #tracer: ReturnType<TracerProvider['getTracer']>;
  /** The context of the request for which code runs. */
  readonly #active = new AsyncLocalStorage<Context>();

  constructor(env: NodeJS.ProcessEnv, { name, version, onFailure }: TracedProgram) {
    diag.setLogger(failuresTo(onFailure), DiagLogLevel.ERROR);
    const { sampler, skips } = samplerOf(env);
    this.#skips = skips;
    const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
    this.#provider = new TracerProvider({
      sampler,
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batchesOf(env) })],
    });
    this.#tracer = this.#provider.getTracer(name, version);
  }

  begin(request: IncomingMessage): RequestSpan | undefined {
    const { headers, method = '' } = request;
    const { traceparent } = headers;
    if (this.#skips(typeof traceparent === 'string' ? traceparent : undefined)) return undefined;
    const parent = traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, headers, HEADERS);
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
    return span.isRecording() ? new SampledRequest(span, trace.setSpan(parent, span), this.#active) : undefined;
  }

  async inDatabase<T>(system: string, operation: string, call: () => Promise<T>): Promise<T> {
    const parent = this.#active.getStore();
    if (parent === undefined) return call();
    const attributes = { 'db.system.name': system, 'db.operation.name': operation };
    const span = this.#tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, parent);
    try {
      return await call();
    } catch (error) {
      span.setAttribute('error.type', (error as { code?: string }).code ?? 'error');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}

class SampledRequest implements RequestSpan {
  readonly traceId: string;
  readonly spanId: string;

  constructor(
    private readonly span: Span,
    private readonly context: Context,
    private readonly active: AsyncLocalStorage<Context>,
  ) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
  }

  run<T>(work: () => T): T {
    return this.active.run(this.context, work);
  }

  end({ method, route, status, requestId }: AnsweredRequest): void {
    const { span } = this;
    span.updateName(`${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      ...(requestId !== undefined && { 'authz.request_id': requestId }),
      ...(status >= 500 && { 'error.type': String(status) }),
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

/** The part of an OpenTelemetry tracer that is used. */
export interface Tracer {
  startSpan(name: string, options?: { kind?: number; attributes?: Record<string, string | number | boolean> }): Span;
}

interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR` of OpenTelemetry. */
const CLIENT = 2;
const ERROR = 2;

/** The facts that a call gives its span. */
interface SpanFacts {
  attempt(): void;
  /** The revision of the answer, where it names one. */
  revision(revision: string | undefined): void;
  decision(allowed: boolean): void;
}

const NO_FACTS: SpanFacts = { attempt: () => {}, revision: () => {}, decision: () => {} };

/** A span for each call: the decision, its revision, the number of attempts, the code of an error. Nothing of what was asked. */
export class Spans {
  #tracer: Tracer | false | undefined;

  constructor(tracer: Tracer | false | undefined) {
    this.#tracer = tracer;
  }

  async around<T>(name: string, work: (facts: SpanFacts) => Promise<T>): Promise<T> {
    this.#tracer ??= await installedTracer();
    if (this.#tracer === false) return work(NO_FACTS);
    const span = this.#tracer.startSpan(`authz ${name}`, { kind: CLIENT });
    let attempts = 0;
    try {
      return await work({
        attempt: () => {
          attempts += 1;
        },
        revision: (revision) => {
          if (revision !== undefined) span.setAttribute('authz.revision', revision);
        },
        decision: (allowed) => span.setAttribute('authz.decision', allowed),
      });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'aborted';
      span.setAttribute('error.type', code);
      span.setStatus({ code: ERROR });
      throw error;
    } finally {
      // A joined question is in the attempts of its batch.
      if (attempts > 0) span.setAttribute('authz.attempts', attempts);
      span.end();
    }
  }
}

let installed: Promise<Tracer | false> | undefined;

/** The tracer of the application's own OpenTelemetry, if it has one. */
function installedTracer(): Promise<Tracer | false> {
  // The name is in a variable, so that bundlers do not look for a package that may be absent.
  const name = '@opentelemetry/api';
  installed ??= import(name).then(
    (api: { trace: { getTracer(name: string): Tracer } }) => api.trace.getTracer('@authz-service/sdk'),
    () => false as const,
  );
  return installed;
}

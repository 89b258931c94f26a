import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Budget, Engine } from '@authz-service/core/access/api/engine';
import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { BundleState } from '@authz-service/embedded/bundle/bundle-state';
import { revisionToken } from '@authz-service/embedded/bundle/served';
import type { EndpointCall, Evaluation, TenantView } from '@authz-service/pdp/endpoints/endpoint';
import type { MinRevision } from '@authz-service/pdp/revision/min-revision';
import type { RequestSpan } from '@authz-service/pdp/tracing/tracing';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import { requestIdOf } from '@authz-service/pdp/transport/request-id';
import type { DecisionEntry, DecisionLog, RequestIds } from '../decision-log.js';
import type { Logger } from '../log.js';
import type { AgentMetrics } from '../metrics.js';

export interface CallOptions {
  state: BundleState;
  metrics: AgentMetrics;
  log: Logger;
  slicing: TimeSlicing;
  /**
   * Resolves once a revision or a later one is served. Throws what `RevisionWaits` throws, and the signal's reason once
   * nobody waits for the answer any more.
   */
  reach(wanted: MinRevision, gone: AbortSignal): Promise<void>;
  /** Absent if decisions are not logged. */
  decisionLog?: DecisionLog | undefined;
  /** The URL under which callers reach the agent, without a trailing slash. */
  publicUrl(): string;
  /** The span of a request that is traced. */
  spanOf(request: IncomingMessage): RequestSpan | undefined;
}

/**
 * One request to the agent: the served bundle answers it, and each evaluation is counted and, if configured, logged.
 */
export class AgentCall implements EndpointCall {
  readonly now: number;
  /** Whether any evaluation has been counted. */
  counted = false;
  /** Whether a sink that decisions wait for has lost a line of this request. */
  isUnlogged = false;
  /** The revision at which the answer was found; absent if nothing was decided or searched. */
  revision: string | undefined;
  /** The caller's request id, or one generated for a refusal. */
  requestId: string | undefined;

  /** The greatest age of what may answer, in milliseconds; undefined unless the request names one. */
  maxAgeMs: number | undefined;

  /** The engine that answers, or answered last. */
  #engine: Engine | undefined;

  /** The ids that lines about this request share with its span, and with the caller. */
  readonly #ids: RequestIds;

  /** The age of what answers. */
  #ageMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly options: CallOptions,
    request: IncomingMessage,
  ) {
    this.now = options.state.now();
    this.requestId = requestIdOf(request);
    const span = options.spanOf(request);
    this.#ids = {
      ...(this.requestId !== undefined && { request_id: this.requestId }),
      ...(span !== undefined && { trace_id: span.traceId, span_id: span.spanId }),
    };
  }

  engine(): Engine {
    const served = this.options.state.current(this.maxAgeMs);
    this.revision = revisionToken(served);
    this.#ageMs = this.options.state.knownAgeMs;
    this.#engine = served.engine;
    return served.engine;
  }

  run<T>(work: (view: TenantView) => Generator<undefined, T>): Promise<T> {
    const { state, slicing } = this.options;
    return state.read((served) => {
      const { engine, search, tenant, revision } = served;
      this.revision = revisionToken(served);
      this.#ageMs = state.knownAgeMs;
      this.#engine = engine;
      return slicing.run(work({ id: tenant.id, revision, engine, search }));
    }, this.maxAgeMs);
  }

  ageWithin(budget: Budget): number {
    this.options.state.assertWithin(budget, this.#ageMs);
    return this.#ageMs;
  }

  /** A refused or failed evaluation counts as not allowed and has no access path. Only evaluations are timed. */
  evaluated(evaluation: Evaluation): void {
    const { metrics, decisionLog } = this.options;
    const { outcome, ms } = evaluation;
    const refused = outcome instanceof ProblemError;
    const allowed = !refused && outcome.decision;
    this.counted = true;
    metrics.called(allowed, refused ? 'none' : outcome.access_path);
    if (ms !== undefined) metrics.evaluated(allowed, ms);
    if (refused && PROBLEM_STATUS[outcome.code] === 500) this.#logFailure(evaluation, outcome);
    if (
      decisionLog !== undefined &&
      !logDecision(decisionLog, evaluation, { now: this.now, engine: this.#engine, ids: this.#ids })
    )
      this.isUnlogged = true;
  }

  publicUrl(): string {
    return this.options.publicUrl();
  }

  /** The id that a refusal and its log line share. */
  identify(): string {
    this.requestId ??= randomUUID();
    return this.requestId;
  }

  /** Logs the shape of the request and not its subject, because this log may go where personal data must not. */
  #logFailure({ request }: Evaluation, problem: ProblemError): void {
    this.options.log.error(
      {
        ...this.#ids,
        request_id: this.identify(),
        code: problem.code,
        error: problem.detail,
        subject_type: request?.subject.type,
        resource_type: request?.resource.type,
        action: request?.action.name,
        // For a failed condition the detail says everything. For a fault of the program, the log needs the stack.
        ...(problem.code === 'internal' ? { err: problem.cause } : {}),
      },
      'evaluation failed: the bundle is loaded, but the decision fails for a request of this shape',
    );
  }
}

function logDecision(
  decisionLog: DecisionLog,
  { request, outcome, ms, resourceId }: Evaluation,
  { now, engine, ids }: Pick<DecisionEntry, 'now' | 'engine' | 'ids'>,
): boolean {
  const refused = outcome instanceof ProblemError;
  return decisionLog.write({
    subjectId: request?.subject.id ?? '',
    resourceId: (refused ? resourceId : outcome.resource_id) ?? request?.resource.id ?? '',
    action: request?.action.name ?? '',
    decision: refused ? false : outcome.decision,
    reason: refused ? outcome.detail : outcome.reason,
    accessPath: refused ? 'none' : outcome.access_path,
    policyId: (refused ? undefined : outcome.policy_id) ?? '',
    ms: ms ?? 0,
    policy: (refused ? undefined : outcome.policy) ?? '',
    failed: refused,
    // Without a bundle nothing was evaluated, which is nothing to do again.
    request: ms === undefined ? undefined : request,
    now,
    engine,
    ids,
  });
}

import { type HttpAnswer, jsonOf } from './answer.js';
import { type Authorization, apiKeyAuthorization } from './authorization.js';
import { AUTHZEN_PATHS } from './authzen-paths.js';
import { baseAddress } from './base-address.js';
import { Batcher } from './batcher.js';
import {
  type Decision,
  decisionOf,
  denial,
  endingOf,
  endsBatch,
  notEvaluated,
  type Outcome,
  outcomesOf,
} from './decision.js';
import type { DecisionPoint } from './decision-point.js';
import { everyPart, type Filter, type FilterPartsOptions, type FilterQuestion, filterOf } from './filter.js';
import type { WrittenJson } from './json-text.js';
import { Limit, until } from './limit.js';
import { type AuthzenConfiguration, metadataOf } from './metadata.js';
import { NewestRevision } from './newest-revision.js';
import { isWithoutBatches, oneByOne } from './one-by-one.js';
import { callersHeaders, maxAgeHeader } from './own-headers.js';
import type {
  ActionQuestion,
  DecisionQuestion,
  EvaluationsQuestion,
  FoundAction,
  FoundEntity,
  ResourceQuestion,
  SubjectQuestion,
} from './question.js';
import { everyResult, type SearchOptions } from './search.js';
import { inWholeBatch, ServiceError } from './service-error.js';
import { Spans, type Tracer } from './spans.js';
import { TokenSource } from './token-source.js';
import {
  type CallOptions,
  type CountedOptions,
  isSuccess,
  type RetryPolicy,
  type ServiceRequest,
  Transport,
} from './transport.js';
import { demandUsable } from './usable-options.js';

/** An OAuth client, or an API key. */
export type Credentials = { clientId: string; clientSecret: string } | { apiKey: string };

/** The options of a client that only asks decisions and searches. */
export interface DecisionClientOptions {
  /** The address of a decision point: the cloud, an agent, or another vendor's. A slash at its end is fine. */
  url: string;
  /** An agent needs none. */
  credentials?: Credentials | undefined;
  /** The longest that a decision or batch may take with all its attempts; 2,000 unless given. */
  decisionTimeoutMs?: number | undefined;
  /** The same for every other call, and each page of a search; 120,000 unless given. */
  managementTimeoutMs?: number | undefined;
  /** The longest that one attempt may take; 1,000 for decisions and 30,000 for other calls unless given. */
  attemptTimeoutMs?: number | undefined;
  /** How often a failed attempt is repeated where that is safe; 2 for decisions and 3 for other calls unless given. */
  retries?: number | undefined;
  /** Joins the decisions asked in one turn of the event loop into one request; `max` in each, 1,000 unless given. */
  batching?: boolean | { max: number } | undefined;
  /** Reads the decision point's metadata before the first decision, and asks at the endpoints that it names. */
  discover?: boolean | undefined;
  /** Used instead of the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * An OpenTelemetry tracer. Unless given, `@opentelemetry/api` is used if the application has it. False turns spans
   * off.
   */
  tracer?: Tracer | false | undefined;
  /**
   * Makes decisions, searches, `state` and `records` answer as of a past revision (`42.9f86d081884c7d65` or `42`) or time
   * (RFC 3339, or a date). Nothing can be written with such a client. Cloud only; needs the scope `records:read`.
   */
  at?: string | undefined;
  /**
   * Whether reads and decisions carry the newest revision that the client has seen, so that none is answered from before
   * it; true unless given. A decision point that is behind then waits for it or refuses (`behind_revision`).
   */
  readsOwnWrites?: boolean | undefined;
  /**
   * The greatest age, in whole seconds, of the knowledge that may answer reads and decisions (`Service-Max-Age`). Who knows
   * only what is older refuses (`too_old`). Unless given, the decision point's own limits hold alone.
   */
  maxAgeSeconds?: number | undefined;
  /** Headers for every request, such as a gateway's. Those of the client itself are refused, `Authorization` among them. */
  headers?: Readonly<Record<string, string>> | undefined;
  userAgent?: string | undefined;
}

export interface DecideOptions extends CallOptions {
  /** Denies a question that could not be decided; the decision then has `decided: false` and the `error`. */
  orDeny?: boolean | undefined;
}

/** By which way a client reaches its decision point, and the base address that it has. */
export interface Route {
  base: string;
  fetch: typeof globalThis.fetch;
  /** The secrets of the way itself, such as the password of a proxy. */
  secrets?: string[];
}

function platformRoute({ url, fetch = globalThis.fetch }: DecisionClientOptions): Route {
  return { base: baseAddress(url), fetch };
}

/** The origin of who listens on a unix socket. */
const SOCKET_ORIGIN = 'http://localhost';

/** Our own: AuthZEN has no filters. */
const FILTER_PATH = '/v1/filter';

/** The most questions that the service takes in one request. */
const BATCH_MAX = 1_000;

type Endpoint = 'evaluation' | 'evaluations' | 'subject' | 'resource' | 'action';

/** The answer to a question, and the tenant's revision at which it was found, if the decision point names it. */
interface Answered {
  body: unknown;
  revision: string | undefined;
}

const MEMBERS: Record<Endpoint, string> = {
  evaluation: 'access_evaluation_endpoint',
  evaluations: 'access_evaluations_endpoint',
  subject: 'search_subject_endpoint',
  resource: 'search_resource_endpoint',
  action: 'search_action_endpoint',
};

/**
 * Asks decisions of any AuthZEN 1.0 decision point. A question is allowed, denied, or could not be decided: then the call
 * rejects with `ServiceError`, or with the reason of the caller's signal. No option turns the last into the first.
 */
export class DecisionClient implements DecisionPoint {
  readonly url: string;
  protected readonly transport: Transport;
  protected readonly authorization: Authorization | undefined;
  readonly #retryPolicy: RetryPolicy;
  readonly #discover: boolean;
  readonly #past: string | undefined;
  readonly #newest: NewestRevision | undefined;
  readonly #maxAge: string | undefined;
  readonly #spans: Spans;
  readonly #batcher: Batcher | undefined;
  /** The most questions of one request. */
  readonly #batchMax: number = BATCH_MAX;
  /** Whether the decision point takes batches, as far as it is known. */
  #batches = true;
  #metadata: Promise<AuthzenConfiguration> | undefined;

  /** Throws `invalid_config` for an address, a credential or another option that cannot be used. */
  constructor(options: DecisionClientOptions, { base, fetch, secrets = [] }: Route = platformRoute(options)) {
    demandUsable(options);
    const { credentials, retries, attemptTimeoutMs, maxAgeSeconds } = options;
    this.url = base;
    this.#discover = options.discover ?? false;
    this.#past = options.at;
    if (options.at === undefined && options.readsOwnWrites !== false) this.#newest = new NewestRevision();
    if (maxAgeSeconds !== undefined) this.#maxAge = maxAgeHeader(maxAgeSeconds);
    this.#retryPolicy = {
      timeoutMs: options.decisionTimeoutMs ?? 2_000,
      attemptTimeoutMs: attemptTimeoutMs ?? 1_000,
      retries: retries ?? 2,
      backoffMs: 50,
      whose: ', the deadline of a decision (decisionTimeoutMs)',
    };
    this.transport = new Transport({
      base: this.url,
      retryPolicy: {
        timeoutMs: options.managementTimeoutMs ?? 120_000,
        attemptTimeoutMs: attemptTimeoutMs ?? 30_000,
        retries: retries ?? 3,
        backoffMs: 200,
      },
      userAgent: options.userAgent ?? 'authz-service-sdk-node',
      headers: callersHeaders(options.headers ?? {}),
      fetch,
      secrets,
    });
    if (credentials !== undefined) {
      this.authorization =
        'apiKey' in credentials
          ? apiKeyAuthorization(credentials.apiKey)
          : new TokenSource(this.transport, credentials);
    }
    this.#spans = new Spans(options.tracer);
    if (typeof options.batching === 'object') this.#batchMax = options.batching.max;
    if (options.batching) {
      this.#batcher = new Batcher({
        max: this.#batchMax,
        timeoutMs: this.#retryPolicy.timeoutMs,
        one: (question, call) => this.#one(question, call),
        many: (body, count, call) => this.#many(body, count, undefined, call),
        withoutBatches: () => {
          this.#batches = false;
        },
      });
    }
  }

  /** The newest revision that the client has seen; undefined before the first one, and where it carries none. */
  get revision(): string | undefined {
    return this.#newest?.token;
  }

  /**
   * From now on, nothing is answered from before this revision, such as that of a commit by another client: one that
   * wrote at the cloud, say, where this one asks an agent. Throws `invalid_request` for what is no revision.
   */
  notBefore(revision: string): void {
    this.#newest?.told(revision);
  }

  /**
   * Whether the subject may do the action to the resource. Rejects where that could not be decided, unless the call says
   * `orDeny`.
   */
  async isAllowed(question: DecisionQuestion, options?: DecideOptions): Promise<boolean> {
    return (await this.decide(question, options)).allowed;
  }

  /** The decision with its reason: allowed or denied, which an `if` does not see; rejects where that could not be decided, unless the call says `orDeny`. */
  async decide(question: DecisionQuestion, { orDeny, ...options }: DecideOptions = {}): Promise<Decision> {
    try {
      return await this.#traced(options, async (call) => this.#joined(question, call) ?? this.#one(question, call));
    } catch (error) {
      if (orDeny && error instanceof ServiceError) return denial(error);
      throw error;
    }
  }

  /**
   * Several questions in one request, decided at one revision where the decision point has revisions; in several requests
   * if there are more than it takes in one (1,000, or `batching.max`); one after the other where it takes no batches. The
   * outcomes come in the order of the questions, each a decision or that question's error: `not_evaluated` where the
   * semantic had ended the batch before it. With `orDeny` each of them is a decision.
   */
  async decideAll(question: EvaluationsQuestion, { orDeny, ...options }: DecideOptions = {}): Promise<Outcome[]> {
    const { evaluations } = question;
    // An untyped caller's mistake, which the decision point names.
    if (!Array.isArray(evaluations)) return await this.#all(question, options);
    const endsAt = performance.now() + (options.timeoutMs ?? this.#retryPolicy.timeoutMs);
    const ending = endingOf(question.options?.evaluations_semantic);
    const outcomes: Outcome[] = [];
    const fill = (error: ServiceError): void => {
      while (outcomes.length < evaluations.length) outcomes.push({ ok: false, error });
    };
    for (let at = 0; at < evaluations.length && outcomes.length === at; at += this.#batchMax) {
      const chunk = { ...question, evaluations: evaluations.slice(at, at + this.#batchMax) };
      try {
        const left = at === 0 ? options : { ...options, timeoutMs: Math.max(1, endsAt - performance.now()) };
        outcomes.push(...(await this.#all(chunk, left)));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const placed = inWholeBatch(error, at);
        if (!orDeny) throw placed;
        fill(placed);
      }
      if (endsBatch(outcomes.at(-1), ending)) fill(notEvaluated());
    }
    if (!orDeny) return outcomes;
    return outcomes.map((outcome) => (outcome.ok ? outcome : { ok: true, decision: denial(outcome.error) }));
  }

  /** The subjects of a type that may do this, page by page as the loop goes on. */
  searchSubjects(question: SubjectQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined> {
    return everyResult((body, call) => this.#search('subject', body, call), question, options);
  }

  /** The resources of a type on which the subject may do this, page by page as the loop goes on. */
  searchResources(question: ResourceQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined> {
    return everyResult((body, call) => this.#search('resource', body, call), question, options);
  }

  /** Searches what the subject may do to the resource, page by page as the loop goes on. */
  searchActions(question: ActionQuestion, options?: SearchOptions): AsyncGenerator<FoundAction, void, undefined> {
    return everyResult((body, call) => this.#search('action', body, call), question, options);
  }

  /**
   * The rows of a type that the subject may do this with, as a condition on their columns: `filterSql` says it in SQL. Throws
   * `not_filterable` where columns cannot say it exactly, and `filter_too_large`.
   */
  async filterRows(question: FilterQuestion, options: CallOptions = {}): Promise<Filter> {
    const { body, revision } = await this.#filter(question, options);
    return filterOf(body, question, `POST ${this.url}${FILTER_PATH}`, revision);
  }

  /**
   * The same in parts, of which each is a filter for other rows and no list is longer than `limit` (10,000 unless given): of
   * whatever size the answer is. The parts together are the answer.
   */
  filterParts(question: FilterQuestion, options: FilterPartsOptions = {}): AsyncGenerator<Filter, void, undefined> {
    const { limit, ...call } = options;
    return everyPart((body) => this.#filter(body, call), question, `POST ${this.url}${FILTER_PATH}`, limit);
  }

  #filter(asked: unknown, options: CallOptions) {
    return this.#spans.around('filter', async (span) => {
      const { retryPolicy } = this.transport;
      const request = {
        method: 'POST',
        path: FILTER_PATH,
        body: asked,
        repeat: 'harmless',
        retryPolicy,
        past: true,
      } as const;
      const { body, revision } = await this.#answered(request, { ...options, onAttempt: span.attempt });
      span.revision(revision);
      return { body, revision };
    });
  }

  /** Returns the decision point's metadata (AuthZEN 1.0 section 9). Throws `network` where it names another origin. */
  async metadata(options?: CallOptions): Promise<AuthzenConfiguration> {
    const path = AUTHZEN_PATHS.configuration;
    const answeredBy = (status: number): boolean => status === 200;
    const request: ServiceRequest = {
      method: 'GET',
      path,
      repeat: 'harmless',
      retryPolicy: this.#retryPolicy,
      answeredBy,
    };
    const { origin, pathname } = new URL(this.url);
    const at = `GET ${this.url}${path}`;
    if (origin === 'null') return metadataOf(await this.json(request, options), SOCKET_ORIGIN, at);
    if (pathname === '/') return metadataOf(await this.json(request, options), this.url, at);
    try {
      // AuthZEN puts the path of the decision point behind the well-known one (section 9.2); a proxy, before it.
      const url = `${origin}${path}${pathname}`;
      return metadataOf(await this.json({ ...request, url }, options), this.url, `GET ${url}`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    }
    return metadataOf(await this.json(request, options), this.url, at);
  }

  /** Sends a request with the client's credential and gives the JSON of the answer. */
  protected async json(request: ServiceRequest, options?: CallOptions): Promise<unknown> {
    const answer = await this.answer(request, options);
    return answer.status === 204 ? undefined : jsonOf(answer, `${request.method} ${this.url}${request.path}`);
  }

  /** Sends a request with the client's credential. Its span names the route, since a path may name a person. */
  protected answer(request: ServiceRequest, options?: CallOptions): Promise<HttpAnswer> {
    const { method, path, route = path } = request;
    return this.#spans.around(`${method} ${route}`, async (span) => {
      const call = { ...options, onAttempt: span.attempt, newest: this.#newest, maxAge: this.#maxAge };
      const wanted = { answeredBy: isSuccess, ...this.#dated(request) };
      const answer = await this.transport.send(wanted, call, this.authorization);
      span.revision(revisionOf(answer));
      return answer;
    });
  }

  /** The request as of the moment that this client asks about. Throws `invalid_request` for writes, which the past takes none of. */
  #dated(request: ServiceRequest): ServiceRequest {
    const at = this.#past;
    if (at === undefined) return request;
    if (request.writes) {
      const detail = `This client asks about the past, ${JSON.stringify(at)}: write with a client without "at".`;
      throw new ServiceError('invalid_request', detail);
    }
    if (!request.past) return request;
    if (request.url === undefined) return { ...request, query: { ...request.query, at } };
    const url = new URL(request.url);
    url.searchParams.set('at', at);
    return { ...request, url: url.href };
  }

  /** Undefined if the question has to go alone. */
  #joined(question: DecisionQuestion, options: CountedOptions): Promise<Decision> | undefined {
    return this.#batches ? this.#batcher?.decide(question, options) : undefined;
  }

  async #one(question: DecisionQuestion, options: CountedOptions): Promise<Decision> {
    const { body, revision } = await this.#ask('evaluation', question, options);
    return decisionOf(body, this.#at('evaluation'), revision);
  }

  /** Traces a decision by a span of its own. */
  #traced(options: CallOptions, decide: (options: CountedOptions) => Promise<Decision>): Promise<Decision> {
    return this.#spans.around('decide', async (span) => {
      const decision = await decide({ ...options, onAttempt: span.attempt });
      span.revision(decision.revision);
      span.decision(decision.allowed);
      return decision;
    });
  }

  async #all(question: EvaluationsQuestion, options: CallOptions): Promise<Outcome[]> {
    const begunAt = performance.now();
    try {
      const ending = endingOf(question.options?.evaluations_semantic);
      if (this.#batches) return await this.#many(question, question.evaluations.length, ending, options);
    } catch (error) {
      if (!isWithoutBatches(error)) throw error;
    }
    const timeoutMs = (options.timeoutMs ?? this.#retryPolicy.timeoutMs) - (performance.now() - begunAt);
    const outcomes = await oneByOne(question, { ...options, timeoutMs }, (one, call) =>
      this.#traced(call, (counted) => this.#one(one, counted)),
    );
    // Where nothing is answered, the address may be away for a while.
    if (outcomes.some(({ ok }) => ok)) this.#batches = false;
    return outcomes;
  }

  #many(
    question: EvaluationsQuestion | WrittenJson,
    count: number,
    ending: boolean | undefined,
    options: CallOptions,
  ): Promise<Outcome[]> {
    return this.#spans.around('decide_all', async (span) => {
      const { body, revision } = await this.#ask('evaluations', question, { ...options, onAttempt: span.attempt });
      span.revision(revision);
      return outcomesOf(body, count, ending, this.#at('evaluations'), revision);
    });
  }

  #search(endpoint: Endpoint, question: unknown, options: CallOptions): Promise<unknown> {
    return this.#spans.around('search', async (span) => {
      const { body, revision } = await this.#ask(endpoint, question, { ...options, onAttempt: span.attempt });
      span.revision(revision);
      return body;
    });
  }

  async #ask(endpoint: Endpoint, body: unknown, options: CountedOptions): Promise<Answered> {
    const path = AUTHZEN_PATHS[endpoint];
    const deciding = endpoint === 'evaluation' || endpoint === 'evaluations';
    const retryPolicy = deciding ? this.#retryPolicy : this.transport.retryPolicy;
    const request: ServiceRequest = { method: 'POST', path, body, repeat: 'harmless', retryPolicy, past: true };
    if (!this.#discover) return this.#answered(request, options);
    const timeoutMs = options.timeoutMs ?? retryPolicy.timeoutMs;
    const endsAt = performance.now() + timeoutMs;
    request.url = await this.#discovered(endpoint, options.signal, timeoutMs);
    return this.#answered(request, { ...options, timeoutMs: Math.max(1, endsAt - performance.now()) });
  }

  async #answered(request: ServiceRequest, options: CountedOptions): Promise<Answered> {
    const call = { ...options, newest: this.#newest, maxAge: this.#maxAge };
    const answer = await this.transport.send(this.#dated(request), call, this.authorization);
    return { body: jsonOf(answer, `${request.method} ${this.url}${request.path}`), revision: revisionOf(answer) };
  }

  /**
   * The metadata is read once for all calls, even if the first caller gives up. After a failure the next call reads it
   * again.
   */
  async #discovered(endpoint: Endpoint, signal: AbortSignal | undefined, timeoutMs: number): Promise<string> {
    this.#metadata ??= this.metadata().catch((error: unknown) => {
      this.#metadata = undefined;
      throw error;
    });
    const detail = `The metadata of ${this.url} was not there within ${timeoutMs / 1000} s.`;
    const limit = new Limit(signal, timeoutMs, () => new ServiceError('timeout', detail));
    try {
      const url = (await until(limit.signal, this.#metadata))[MEMBERS[endpoint]];
      if (typeof url === 'string') return url;
    } finally {
      limit.end();
    }
    const missing = `${this.url} names no ${MEMBERS[endpoint]} in its metadata: it does not offer that.`;
    throw new ServiceError('method_not_allowed', missing, [], { status: 501 });
  }

  #at(endpoint: Endpoint): string {
    return `POST ${this.url}${AUTHZEN_PATHS[endpoint]}`;
  }
}

function revisionOf(answer: HttpAnswer): string | undefined {
  return answer.headers.get('service-revision') || undefined;
}

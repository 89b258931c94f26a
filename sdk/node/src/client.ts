import { randomUUID } from 'node:crypto';
import type { Kind } from '@authz-service/core/records/kinds';
import type { EvaluationsResponse } from '@authz-service/pdp/contract/evaluations';
import { jsonOf } from './answer.js';
import { type Authorization, apiKeyAuthorization } from './authorization.js';
import { AUTHZEN_PATHS } from './authzen-paths.js';
import { baseAddress } from './base-address.js';
import { type BatchOutcome, runAll } from './batch.js';
import { everyItem, type ListOptions, RecordCollection, type Send } from './records.js';
import { everyResult, type SearchOptions } from './search.js';
import { Tenants } from './tenants.js';
import { TokenSource } from './token-source.js';
import { type CallOptions, type ServiceRequest, Transport } from './transport.js';
import type {
  ActionQuestion,
  AgentStatus,
  AuditEntry,
  AuthzenConfiguration,
  BundleKey,
  ChangesetRequest,
  ChangesetResult,
  DecisionQuestion,
  DecisionResponse,
  EvaluationResponse,
  EvaluationsQuestion,
  FoundAction,
  FoundEntity,
  Page,
  PolicyBundle,
  ResourceQuestion,
  SubjectQuestion,
  TenantEvent,
  TenantSnapshot,
  WhoAmI,
} from './wire.js';

/** A caller that waits longer for a decision has a caller of its own that waits. */
const DECISION_TIMEOUT_MS = 2_000;

/** An OAuth client, or an API key. */
export type Credentials = { clientId: string; clientSecret: string } | { apiKey: string };

export interface ClientOptions {
  /** The base address of the cloud or of an agent; a path before `/v1` and a slash at the end are fine. */
  url: string;
  /** None for an agent. */
  credentials?: Credentials | undefined;
  /** The longest that one attempt may take, in milliseconds; 30,000 unless given. */
  timeoutMs?: number;
  /** The longest that a call may take with all its attempts and waits, in milliseconds; 120,000 unless given. */
  overallTimeoutMs?: number;
  /** The same for a decision, alone or in a batch, which holds up what the caller does: 2,000 unless given. */
  decisionTimeoutMs?: number;
  /** How often a failed attempt is repeated where that is safe; 3 unless given. */
  retries?: number;
  /** In place of Node's own `fetch`. */
  fetch?: typeof globalThis.fetch;
  userAgent?: string;
}

/**
 * The service's client, for cloud and agent alike: only the base address differs, and an agent takes no credentials.
 *
 * ```ts
 * const client = new ServiceClient({ url: 'http://127.0.0.1:8080', credentials: { apiKey } });
 * const { decision, context } = await client.authorize({
 *   subject: { type: 'user', id: 'alice' },
 *   action: { name: 'read' },
 *   resource: { type: 'invoice', name: 'INV-1' },
 * });
 * for await (const role of client.records('role').list({ application: 'billing' })) console.log(role.name);
 * await client.changeset({ changes: [{ op: 'create', kind: 'application', fields: { name: 'billing' } }] });
 * ```
 *
 * Every method rejects with `ProblemError`: the service's own code, detail and errors; `network` where it could not be
 * reached or something else answered; `timeout`. A denial is no error. Every method takes `{ signal, timeoutMs,
 * overallTimeoutMs, requestId }`, and rejects with the signal's reason when that aborts. A decision waits for 2 seconds
 * with all its attempts (`decisionTimeoutMs`), all else for two minutes.
 *
 * Passing faults (429, 502, 503, 504, connections) are tried again with growing, random waits, `Retry-After` heard:
 * reads and decisions always; a change-set too, since its idempotency key makes a repetition harmless; other writes
 * only where the first attempt surely was not processed. Tokens of an OAuth client are fetched once for all calls,
 * renewed before they lapse, and replaced when the service refuses one. Redirects are not followed.
 */
export class ServiceClient {
  readonly url: string;
  /** The tenants, for operators. */
  readonly tenants: Tenants;
  readonly #transport: Transport;
  readonly #authorization: Authorization | undefined;
  readonly #decisionTimeoutMs: number;
  readonly #json: Send = async (request, options) => {
    const answer = await this.#transport.send(request, options, this.#authorization);
    return answer.status === 204 ? undefined : jsonOf(answer, `${request.method} ${this.url}${request.path}`);
  };

  /** Throws `invalid_config` for an address or a credential that cannot be used. */
  constructor(options: ClientOptions) {
    this.url = baseAddress(options.url);
    this.#decisionTimeoutMs = options.decisionTimeoutMs ?? DECISION_TIMEOUT_MS;
    this.#transport = new Transport({
      base: this.url,
      timeoutMs: options.timeoutMs ?? 30_000,
      overallTimeoutMs: options.overallTimeoutMs ?? 120_000,
      retries: options.retries ?? 3,
      userAgent: options.userAgent ?? 'authz-service-sdk-node',
      fetch: options.fetch ?? globalThis.fetch,
    });
    const { credentials } = options;
    if (credentials !== undefined) {
      this.#authorization =
        'apiKey' in credentials
          ? apiKeyAuthorization(credentials.apiKey)
          : new TokenSource(this.#transport, credentials);
    }
    this.tenants = new Tenants(this.#json);
  }

  /** Who may do what (spec 4.1). */
  async authorize(question: DecisionQuestion, options?: CallOptions): Promise<DecisionResponse> {
    return (await this.#decide('/v1/authorize', question, options)) as DecisionResponse;
  }

  /**
   * Many questions, at most `concurrency` (16 unless given) at a time. The outcomes come in the order of the questions,
   * each an answer or that question's problem; an abort rejects the whole.
   */
  authorizeAll(
    questions: Iterable<DecisionQuestion>,
    { concurrency = 16, ...options }: CallOptions & { concurrency?: number } = {},
  ): Promise<BatchOutcome<DecisionResponse>[]> {
    return runAll(questions, concurrency, (question) => this.authorize(question, options));
  }

  /**
   * Several questions in one request, decided at one revision (AuthZEN 1.0 section 7). The answers come in order, up to
   * the one that the semantic ends with; a question that could not be decided is a denial with `context.error`.
   */
  async evaluations(question: EvaluationsQuestion, options?: CallOptions): Promise<EvaluationResponse[]> {
    if (question.evaluations.length === 0) return [];
    const answer = await this.#decide(AUTHZEN_PATHS.evaluations, question, options);
    return (answer as EvaluationsResponse).evaluations;
  }

  /** The subjects of a type that may do this, page by page as the loop goes on. */
  searchSubjects(question: SubjectQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined> {
    return everyResult(this.#json, AUTHZEN_PATHS.subject, question, options);
  }

  /** The resources of a type on which the subject may do this, page by page as the loop goes on. */
  searchResources(question: ResourceQuestion, options?: SearchOptions): AsyncGenerator<FoundEntity, void, undefined> {
    return everyResult(this.#json, AUTHZEN_PATHS.resource, question, options);
  }

  /** What the subject may do to the resource, page by page as the loop goes on. */
  searchActions(question: ActionQuestion, options?: SearchOptions): AsyncGenerator<FoundAction, void, undefined> {
    return everyResult(this.#json, AUTHZEN_PATHS.action, question, options);
  }

  /** Where the service says that its endpoints are (AuthZEN 1.0 section 9). */
  async metadata(options?: CallOptions): Promise<AuthzenConfiguration> {
    const path = AUTHZEN_PATHS.configuration;
    return (await this.#json({ method: 'GET', path, repeat: 'harmless' }, options)) as AuthzenConfiguration;
  }

  /** The records of one kind. */
  records<K extends Kind>(kind: K): RecordCollection<K> {
    return new RecordCollection(kind, this.#json);
  }

  /** All records of the tenant with its revision; undefined when that still is `ifNoneMatch`. */
  state(options?: CallOptions): Promise<TenantSnapshot>;
  state(options: CallOptions & { ifNoneMatch: string | undefined }): Promise<TenantSnapshot | undefined>;
  async state(options: CallOptions & { ifNoneMatch?: string | undefined } = {}): Promise<TenantSnapshot | undefined> {
    const { answer, at } = await this.#conditional('/v1/state', options);
    return answer.status === 304 ? undefined : (jsonOf(answer, at) as TenantSnapshot);
  }

  /**
   * Changes records, all or none, in one revision. The idempotency key names this wish: sent again with the same
   * body it is done once, and answered as the first time.
   */
  async changeset(
    body: ChangesetRequest,
    { idempotencyKey = randomUUID(), ...options }: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<ChangesetResult> {
    const headers = { 'idempotency-key': idempotencyKey };
    return (await this.#json(
      { method: 'POST', path: '/v1/changesets', body, headers, repeat: 'harmless', writes: true },
      options,
    )) as ChangesetResult;
  }

  /**
   * The policy bundle, as agents fetch it; undefined when its revision still is `ifNoneMatch`. An operator's holds all
   * tenants, or the one named.
   */
  async bundle({
    tenant,
    ...options
  }: CallOptions & { ifNoneMatch?: string | undefined; tenant?: string } = {}): Promise<PolicyBundle | undefined> {
    const { answer } = await this.#conditional('/v1/policies/bundle', options, { tenant });
    if (answer.status === 304) return undefined;
    return { etag: answer.headers.get('etag') ?? undefined, bytes: answer.body };
  }

  /** Whom the credential stands for, and what it may do. */
  async whoami(options?: CallOptions): Promise<WhoAmI> {
    return (await this.#json({ method: 'GET', path: '/v1/whoami', repeat: 'harmless' }, options)) as WhoAmI;
  }

  /** How an agent fares: which revision it serves, how old that is, and what went wrong last. Agents only. */
  async agentStatus(options?: CallOptions): Promise<AgentStatus> {
    return (await this.#json({ method: 'GET', path: '/v1/status', repeat: 'harmless' }, options)) as AgentStatus;
  }

  /** Has bundles signed by a new key, for operators; `revoke`: agents are to trust none of the keys before it. */
  async rotateBundleKeys(body: { revoke?: boolean } = {}, options?: CallOptions): Promise<BundleKey> {
    const request: ServiceRequest = { method: 'POST', path: '/v1/bundle-keys', body, repeat: 'once', writes: true };
    return (await this.#json(request, options)) as BundleKey;
  }

  /** The commits of the tenant, the latest first, fetched page by page as the loop goes on. */
  audit(options?: ListOptions): AsyncGenerator<AuditEntry, void, undefined> {
    return this.#audit('/v1/audit', options);
  }

  /** Who made and removed tenants, the latest first, also those that are no more. For operators. */
  tenantAudit(options?: ListOptions): AsyncGenerator<TenantEvent, void, undefined> {
    return this.#audit('/v1/audit/tenants', options);
  }

  async *#audit<T>(path: string, { limit, ...options }: ListOptions = {}): AsyncGenerator<T, void, undefined> {
    yield* everyItem(async (cursor) => {
      const query = { limit, cursor };
      return (await this.#json({ method: 'GET', path, query, repeat: 'harmless' }, options)) as Page<T>;
    });
  }

  #decide(path: string, body: unknown, options?: CallOptions): Promise<unknown> {
    const deadline = { ms: this.#decisionTimeoutMs, of: 'a decision', option: 'decisionTimeoutMs' };
    return this.#json({ method: 'POST', path, body, repeat: 'harmless', deadline }, options);
  }

  /** `ifNoneMatch` is an ETag, or a revision as answers name it. */
  async #conditional(
    path: string,
    { ifNoneMatch, ...options }: CallOptions & { ifNoneMatch?: string | undefined },
    query: ServiceRequest['query'] = {},
  ) {
    const headers: Record<string, string> = {};
    if (ifNoneMatch !== undefined) {
      headers['if-none-match'] = /^(W\/)?"/.test(ifNoneMatch) ? ifNoneMatch : `"${ifNoneMatch}"`;
    }
    const request: ServiceRequest = { method: 'GET', path, query, headers, repeat: 'harmless', also: 304 };
    return {
      answer: await this.#transport.send(request, options, this.#authorization),
      at: `GET ${this.url}${path}`,
    };
  }
}

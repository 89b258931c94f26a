import { jsonOf } from './answer.js';
import { type ConnectionOptions, routeOf } from './connection.js';
import { DecisionClient, type DecisionClientOptions } from './decision-client.js';
import { Directories } from './directories.js';
import { pause } from './limit.js';
import { pathSegment } from './path-segment.js';
import { everyItem, type ListOptions, RecordCollection, type Send } from './records.js';
import { heldSeconds, requestStateOf } from './retry.js';
import { ServiceError } from './service-error.js';
import { Tenants } from './tenants.js';
import type { CallOptions, ServiceRequest } from './transport.js';
import type {
  AccessRuleViolations,
  AgentList,
  AgentStatus,
  AuditEntry,
  BundleKey,
  ChangesetRequest,
  ChangesetResult,
  ConsoleLink,
  Kind,
  Page,
  PolicyBundle,
  RecordOrigin,
  TenantEvent,
  TenantSnapshot,
  WhoAmI,
} from './wire.js';

/** How long the last answer may take to come, once the time for waiting has run out. */
const GRACE_MS = 10_000;

/** The cloud is asked no more often than this who enforces a revision. */
const ASKED_EVERY_MS = 1_000;

export interface AgentOptions extends CallOptions {
  /** For operators: the agents of this tenant, by its name or id. */
  tenant?: string | undefined;
}

export interface AgentListOptions extends AgentOptions {
  /** The revision to ask about, `42.9f86d081884c7d65` or `42`. */
  enforces?: string | undefined;
  waitSeconds?: number | undefined;
}

/** Which commits of the audit trail are wanted. */
export interface AuditFilter {
  /** At this time (RFC 3339, or a date: its beginning in UTC) or later. */
  since?: string | undefined;
  /** At this time or earlier. */
  until?: string | undefined;
  /** Only entries of this credential, by its name or id. */
  actor?: string | undefined;
  /** Only entries that changed the record with this address. */
  record?: string | undefined;
  /** Only entries that changed this subject (`user/alice`) or what is given to it. */
  subject?: string | undefined;
}

export type AuditPage<T = AuditEntry> = Page<T> & {
  /** With `record` or `subject`: the oldest revision that history holds. Later commits were all searched. */
  searched_since?: { revision: string; at: string };
};

export interface AuditOptions extends ListOptions {
  filter?: AuditFilter | undefined;
  /** Is told of each page when it has come. */
  onPage?: ((page: AuditPage<unknown>) => void) | undefined;
}

export interface ClientOptions extends Omit<DecisionClientOptions, 'url'>, ConnectionOptions {
  /**
   * The address of a decision point: the cloud, an agent, or another vendor's. A slash at its end is fine. A unix socket is
   * named by its path: `unix:///run/service/agent.sock`.
   */
  url: string;
}

export type { Credentials, DecideOptions } from './decision-client.js';

/**
 * The service's client, for cloud and agent: only the base address differs, and an agent takes no credentials.
 *
 * ```ts
 * const client = new ServiceClient({ url: 'http://127.0.0.1:8080', credentials: { apiKey } });
 * const question = {
 *   subject: { type: 'user', id: 'alice' },
 *   action: { name: 'read' },
 *   resource: { type: 'invoice', id: 'INV-1' },
 * };
 * if (await client.isAllowed(question)) console.log('welcome');
 * const { allowed, reason } = await client.decide(question);
 * for await (const role of client.records('role').list({ application: 'billing' })) console.log(role.name);
 * await client.changeset({ changes: [{ op: 'create', kind: 'application', fields: { name: 'billing' } }] });
 * ```
 *
 * Every method rejects with `ServiceError`: the service's own code, detail and errors; `network` where it could not be
 * reached or something else answered; `timeout`. A denial is no error. Every method takes `{ signal, timeoutMs,
 * attemptTimeoutMs, requestId }`, and rejects with the signal's reason when that aborts.
 *
 * Passing faults (429, 502, 503, 504, connections) are retried with growing, random waits; a `Retry-After` that fits
 * the deadline is honoured. Reads and decisions are always retried, and so are change-sets, since their idempotency key
 * makes a repetition harmless. Other writes are retried only if the first attempt certainly was not processed. Tokens
 * of an OAuth client are fetched once for all calls, renewed before they expire, and replaced when the service refuses
 * one. Redirects are not followed.
 */
export class ServiceClient extends DecisionClient {
  /** The tenants, for operators. */
  readonly tenants: Tenants;
  /** The directories that people come from. */
  readonly directories: Directories;
  readonly #send: Send = (request, options) => this.json(request, options);

  /** Throws `invalid_config` for an address, a credential or another option that cannot be used. */
  constructor(options: ClientOptions) {
    super(options, routeOf(options));
    this.tenants = new Tenants(this.#send);
    this.directories = new Directories(this.#send);
  }

  /** The records of one kind. */
  records<K extends Kind>(kind: K): RecordCollection<K> {
    return new RecordCollection(kind, this.#send);
  }

  /** All records of the tenant with its revision; undefined if that still is `ifNoneMatch`. */
  state(options?: CallOptions): Promise<TenantSnapshot>;
  state(options: CallOptions & { ifNoneMatch: string | undefined }): Promise<TenantSnapshot | undefined>;
  async state(options: CallOptions & { ifNoneMatch?: string | undefined } = {}): Promise<TenantSnapshot | undefined> {
    const { answer, at } = await this.#conditional('/v1/state', options, {}, { past: true });
    return answer.status === 304 ? undefined : (jsonOf(answer, at) as TenantSnapshot);
  }

  /**
   * Changes records, all or none, in one revision. Sent again with the same idempotency key and body, it is applied
   * only once, and answered as the first time.
   */
  async changeset(
    body: ChangesetRequest,
    { idempotencyKey = crypto.randomUUID(), ...options }: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<ChangesetResult> {
    const headers = { 'idempotency-key': idempotencyKey };
    return (await this.json(
      { method: 'POST', path: '/v1/changesets', body, headers, repeat: 'harmless', writes: true },
      options,
    )) as ChangesetResult;
  }

  /** Returns the places of records in Git, of those whose place is known. At most 1,000 addresses. */
  async origins(addresses: readonly string[], options?: CallOptions): Promise<RecordOrigin[]> {
    const request: ServiceRequest = {
      method: 'POST',
      path: '/v1/record-origins',
      body: { addresses },
      repeat: 'harmless',
    };
    return ((await this.json(request, options)) as { origins: RecordOrigin[] }).origins;
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
    return (await this.json({ method: 'GET', path: '/v1/whoami', repeat: 'harmless' }, options)) as WhoAmI;
  }

  /** A link that signs the holder of the credential in to the console, once and within 60 seconds. */
  async consoleLink(options?: CallOptions): Promise<ConsoleLink> {
    const request: ServiceRequest = { method: 'POST', path: '/v1/console-links', repeat: 'once', writes: true };
    return (await this.json(request, options)) as ConsoleLink;
  }

  /** Returns the violations of access rules as the records are now. They stand, and block no change. */
  async accessRuleViolations(options?: CallOptions): Promise<AccessRuleViolations> {
    const request: ServiceRequest = { method: 'GET', path: '/v1/access-rule-violations', repeat: 'harmless' };
    return (await this.json(request, options)) as AccessRuleViolations;
  }

  /**
   * The agents of the tenant, as they report themselves: those first that do not enforce the revision, which is the newest
   * unless `enforces` names one. With `waitSeconds`, the answer comes once all enforce it, or after that time: at most two
   * thirds of what an attempt may take, which is 20 unless the client or the call says otherwise.
   */
  async agents({ tenant, enforces, waitSeconds, ...options }: AgentListOptions = {}): Promise<AgentList> {
    const { timeoutMs, attemptTimeoutMs } = this.transport.retryPolicy;
    const attemptMs = Math.min(options.attemptTimeoutMs ?? attemptTimeoutMs, options.timeoutMs ?? timeoutMs);
    const wait = waitSeconds === undefined ? undefined : heldSeconds(waitSeconds, attemptMs);
    const query = { enforces, tenant, wait };
    return (await this.json({ method: 'GET', path: '/v1/agents', query, repeat: 'harmless' }, options)) as AgentList;
  }

  /**
   * Resolves once every agent of the tenant enforces the revision, and at the latest after `timeoutMs`: `enforced` says
   * which. An agent that is silent counts once its own maximum age has run out. Nothing is known to be enforced as long as
   * somebody publishes bundles, whose readers nobody knows. A cloud that is away for a while, or busy,
   * is asked again until then.
   */
  async enforced(
    revision: string,
    { timeoutMs, ...options }: AgentOptions & { timeoutMs: number },
  ): Promise<AgentList> {
    const endsAt = performance.now() + timeoutMs;
    const signal = options.signal ?? new AbortController().signal;
    for (;;) {
      const askedAt = performance.now();
      const leftMs = Math.max(0, endsAt - askedAt);
      const bounds = { waitSeconds: Math.ceil(leftMs / 1000), timeoutMs: leftMs + GRACE_MS };
      try {
        const list = await this.agents({ ...options, ...bounds, enforces: revision });
        // Waiting does not complete a list, and makes no publisher's readers known.
        const known = list.complete && list.enforcing + list.expired < list.total;
        if (list.enforced || !known || performance.now() >= endsAt) return list;
      } catch (error) {
        if (!isPassing(error) || performance.now() >= endsAt) throw error;
      }
      await pause(Math.max(0, Math.min(askedAt + ASKED_EVERY_MS, endsAt) - performance.now()), signal);
    }
  }

  /** Takes an agent that is gone for good off the list, for operators: it had so many entries. */
  async retireAgent(id: string, { tenant, ...options }: AgentOptions = {}): Promise<{ retired: number }> {
    const path = `/v1/agents/${pathSegment(id, 'an agent')}`;
    const request: ServiceRequest = {
      ...{ method: 'DELETE', path, route: '/v1/agents/{id}', query: { tenant } },
      ...{ repeat: 'harmless', writes: true },
    };
    return (await this.json(request, options)) as { retired: number };
  }

  /** The same for all agents that have reported by a credential, which is named by its id, or by its name if that is enough. */
  async retireAgents(credential: string, { tenant, ...options }: AgentOptions = {}): Promise<{ retired: number }> {
    const request: ServiceRequest = {
      ...{ method: 'DELETE', path: '/v1/agents', query: { credential, tenant } },
      ...{ repeat: 'harmless', writes: true },
    };
    return (await this.json(request, options)) as { retired: number };
  }

  /** The state of an agent: which revision it serves, how old that is, and what went wrong last. Agents only. */
  async agentStatus(options?: CallOptions): Promise<AgentStatus> {
    return (await this.json({ method: 'GET', path: '/v1/status', repeat: 'harmless' }, options)) as AgentStatus;
  }

  /**
   * Makes the cloud sign bundles with a new key, for operators; with `revoke`, agents no longer trust the keys before
   * it.
   */
  async rotateBundleKeys(body: { revoke?: boolean } = {}, options?: CallOptions): Promise<BundleKey> {
    const request: ServiceRequest = { method: 'POST', path: '/v1/bundle-keys', body, repeat: 'once', writes: true };
    return (await this.json(request, options)) as BundleKey;
  }

  /** The commits of the tenant, the latest first, fetched page by page as the loop goes on. */
  audit(options?: AuditOptions): AsyncGenerator<AuditEntry, void, undefined> {
    return this.#audit('/v1/audit', options);
  }

  /** Who made and removed tenants, the latest first, including tenants that no longer exist. For operators. */
  tenantAudit(options?: ListOptions): AsyncGenerator<TenantEvent, void, undefined> {
    return this.#audit('/v1/audit/tenants', options);
  }

  async *#audit<T>(
    path: string,
    { limit, filter, onPage, ...options }: AuditOptions = {},
  ): AsyncGenerator<T, void, undefined> {
    yield* everyItem(async (cursor) => {
      const query: ServiceRequest['query'] = { ...filter, limit, cursor };
      const page = (await this.json({ method: 'GET', path, query, repeat: 'harmless' }, options)) as AuditPage<T>;
      onPage?.(page);
      return page;
    });
  }

  /** `ifNoneMatch` is an ETag, or a revision as answers name it. */
  async #conditional(
    path: string,
    { ifNoneMatch, ...options }: CallOptions & { ifNoneMatch?: string | undefined },
    query: ServiceRequest['query'] = {},
    more: Pick<ServiceRequest, 'past'> = {},
  ) {
    const headers: Record<string, string> = {};
    if (ifNoneMatch !== undefined) {
      headers['if-none-match'] = /^(W\/)?"/.test(ifNoneMatch) ? ifNoneMatch : `"${ifNoneMatch}"`;
    }
    const answeredBy = (status: number): boolean => status === 200 || status === 304;
    const request: ServiceRequest = { method: 'GET', path, query, headers, repeat: 'harmless', answeredBy, ...more };
    return {
      answer: await this.answer(request, options),
      at: `GET ${this.url}${path}`,
    };
  }
}

/** Whether the same request may well be answered later. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return error.code === 'network' || error.code === 'timeout' || requestStateOf(error.status ?? 200) !== 'final';
}

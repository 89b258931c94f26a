import { errorOf, type HttpAnswer, readAnswer } from './answer.js';
import type { Authorization } from './authorization.js';
import { networkFault } from './fault.js';
import { jsonText } from './json-text.js';
import { Limit, pause, until } from './limit.js';
import type { NewestRevision } from './newest-revision.js';
import { secretsIn } from './own-headers.js';
import {
  backoffMs,
  mayRepeat,
  type Repeat,
  type RequestState,
  RetryBudget,
  requestStateOf,
  retryAfterMs,
} from './retry.js';
import { ServiceError } from './service-error.js';
import { Slots } from './slots.js';

/** The options that every method of the client takes. */
export interface CallOptions {
  /** Ends the call, even while it waits to retry; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The longest that the call may take with all its attempts and waits, in milliseconds. */
  timeoutMs?: number | undefined;
  /** The longest that one attempt may take, in milliseconds. */
  attemptTimeoutMs?: number | undefined;
  /** Sent as `X-Request-ID`, echoed and logged by the service. */
  requestId?: string | undefined;
}

/** The options of a call, and whom to tell of each attempt. */
export interface CountedOptions extends CallOptions {
  onAttempt?: (() => void) | undefined;
  /** Learns the revision of the answer, and is carried along by what only reads. */
  newest?: NewestRevision | undefined;
  /** Goes with what only reads: the value of `Service-Max-Age`. */
  maxAge?: string | undefined;
}

/** How long a kind of call may take, and how often it is tried again. */
export interface RetryPolicy {
  timeoutMs: number;
  attemptTimeoutMs: number;
  retries: number;
  /** The longest wait before the first retry; it doubles with each. */
  backoffMs: number;
  /** Whose deadline it is, for the error. */
  whose?: string;
}

export interface TransportOptions {
  /** The base address, without a slash at its end. */
  base: string;
  retryPolicy: RetryPolicy;
  userAgent: string;
  /** Go with every request, by names in small letters. */
  headers?: Readonly<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  /** The secrets of the way to the service, which no error text may repeat. */
  secrets?: string[];
}

/** One request to a path below the base address. */
export interface ServiceRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Stands for a path that may name a person: `/v1/subjects/{id}`. */
  route?: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON; a URLSearchParams as a form. */
  body?: unknown;
  repeat: Repeat;
  /** Used instead of the transport's own. */
  retryPolicy?: RetryPolicy;
  /** An address on the origin of the base, instead of the path below it. */
  url?: string | undefined;
  /** Answers may be about the past: the client's `at` is sent along. */
  past?: true;
  /** The request changes something. An error that leaves open whether it did says so. */
  writes?: true;
  /** The secrets besides the credential that no error text may repeat. */
  secrets?: string[];
  /** Whether a status answers it; without, 200 alone does, as for decisions, searches and tokens. */
  answeredBy?: (status: number) => boolean;
}

/** A failed attempt: what went wrong, what became of the request, and how long the service asks to wait. */
export interface Fault {
  error: ServiceError;
  state: RequestState;
  waitMs: number;
}

/** The headers that the client adds to a request of its own accord. */
interface SentByItself {
  authorization: string | undefined;
  minRevision: string | undefined;
  maxAge: string | undefined;
}

/** How many attempts of a client run at once; the others wait in line within their deadlines. */
const AT_ONCE = 64;

const UNCLEAR = ' It is not known whether the change was made: look before you try again.';

/** Sends requests: attempts with timeouts, retries where they are safe, credentials, and faults as problems. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #slots = new Slots(AT_ONCE);
  readonly #retries = new RetryBudget();

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  get base(): string {
    return this.#options.base;
  }

  get retryPolicy(): RetryPolicy {
    return this.#options.retryPolicy;
  }

  /** Throws `ServiceError`: the service's own, `network` or `timeout`; or the reason of the caller's signal. */
  async send(
    request: ServiceRequest,
    options: CountedOptions = {},
    authorization?: Authorization,
  ): Promise<HttpAnswer> {
    const url = request.url ?? this.#url(request);
    const at = `${request.method} ${request.url ?? `${this.#options.base}${request.path}`}`;
    const retryPolicy = request.retryPolicy ?? this.#options.retryPolicy;
    const timeoutMs = options.timeoutMs ?? retryPolicy.timeoutMs;
    const whose = options.timeoutMs === undefined ? (retryPolicy.whose ?? '') : '';
    let last: Fault | undefined;
    const overall = new Limit(options.signal, timeoutMs, () => timeout(at, timeoutMs, whose, last));
    const endsAt = performance.now() + timeoutMs;
    let renewed = false;
    let unclear = false;
    let carries = !request.writes;
    this.#retries.asked();
    try {
      for (let attempt = 0; ; ) {
        const credential = await authorization?.get(overall.signal);
        // The time of an attempt begins when it is sent, and not while it waits in line.
        await this.#slots.take(overall.signal);
        options.onAttempt?.();
        const attemptMs = options.attemptTimeoutMs ?? retryPolicy.attemptTimeoutMs;
        const carried = carries ? options.newest?.token : undefined;
        const maxAge = request.writes ? undefined : options.maxAge;
        const sent = { authorization: credential?.header, minRevision: carried, maxAge };
        const outcome = await this.#attempt(request, url, at, options, attemptMs, sent, overall.signal).finally(() =>
          this.#slots.free(),
        );
        if ('status' in outcome) {
          options.newest?.saw(outcome.headers.get('service-revision'));
          return outcome;
        }
        if (carried !== undefined && options.newest?.isRefused(carried, outcome.error)) {
          carries = false;
          continue;
        }
        last = { ...outcome, error: redacted(outcome.error, this.#secrets(request, authorization)) };
        if (last.error.code === 'unauthorized' && credential?.reused === true && !renewed) {
          renewed = true;
          authorization?.discard(credential.header);
          continue;
        }
        unclear ||= last.state === 'unclear';
        const waitMs = Math.max(last.waitMs, backoffMs(retryPolicy.backoffMs, attempt));
        const hopeless = performance.now() + waitMs >= endsAt;
        if (attempt >= retryPolicy.retries || hopeless || !mayRepeat(request.repeat, last.state)) throw last.error;
        if (!this.#retries.take()) throw last.error;
        await pause(waitMs, overall.signal);
        attempt += 1;
      }
    } catch (error) {
      throw request.writes && unclear && error instanceof ServiceError ? withNote(error, UNCLEAR) : error;
    } finally {
      overall.end();
    }
  }

  async #attempt(
    request: ServiceRequest,
    url: string,
    at: string,
    options: CallOptions,
    timeoutMs: number,
    sent: SentByItself,
    signal: AbortSignal,
  ): Promise<HttpAnswer | Fault> {
    const limit = new Limit(signal, timeoutMs, () => timeout(at, timeoutMs, ''));
    try {
      const requestId = options.requestId === undefined ? newRequestId() : headerText(options.requestId);
      const init = this.#init(request, requestId, sent, limit.signal);
      const { fetch } = this.#options;
      const answer = await until(
        limit.signal,
        fetch(url, init).then((response) => {
          const named = response.headers.get('x-request-id');
          // Not every decision point names the request.
          if (named === null || named === requestId) return readAnswer(response, at);
          // Its body is not read, and so its connection is not used again.
          response.body?.cancel().catch(() => {});
          return undefined;
        }),
      );
      if (answer === undefined) return { error: anothers(at), state: 'unclear', waitMs: 0 };
      const answers = request.answeredBy ?? is200;
      if (answers(answer.status)) return answer;
      return {
        error: errorOf(answer, at),
        state: requestStateOf(answer.status),
        waitMs: retryAfterMs(answer.headers.get('retry-after'), Date.now()),
      };
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : limit.signal.reason;
      if (reason instanceof ServiceError) return { error: reason, state: 'unclear', waitMs: 0 };
      if (signal.aborted) throw reason;
      if (error instanceof ServiceError) return { error, state: 'final', waitMs: 0 };
      return networkFault(error, this.#options.base, at);
    } finally {
      limit.end();
    }
  }

  #init(
    { method, body, headers }: ServiceRequest,
    requestId: string,
    { authorization, minRevision, maxAge }: SentByItself,
    signal: AbortSignal,
  ): RequestInit {
    const sent: Record<string, string> = {
      ...this.#options.headers,
      accept: 'application/json, application/problem+json',
      'user-agent': this.#options.userAgent,
      'x-request-id': requestId,
      ...headers,
    };
    if (authorization !== undefined) sent.authorization = authorization;
    if (minRevision !== undefined) sent['service-min-revision'] = minRevision;
    if (maxAge !== undefined) sent['service-max-age'] = maxAge;
    const init: RequestInit = { method, headers: sent, redirect: 'manual', signal };
    if (body instanceof URLSearchParams) init.body = body;
    else if (body !== undefined) {
      sent['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      init.body = jsonText(body);
    }
    return init;
  }

  #secrets(request: ServiceRequest, authorization: Authorization | undefined): string[] {
    const { headers = {}, secrets = [] } = this.#options;
    return [...(request.secrets ?? authorization?.secrets() ?? []), ...secretsIn(headers), ...secrets];
  }

  #url({ path, query = {} }: ServiceRequest): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
    const text = search.toString();
    return `${this.#options.base}${path}${text === '' ? '' : `?${text}`}`;
  }
}

function is200(status: number): boolean {
  return status === 200;
}

/** The statuses by which calls of management succeed. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function anothers(at: string): ServiceError {
  const why = 'it is not used. Does a proxy on the way change that header?';
  return new ServiceError(
    'network',
    `${at} was answered, but the answer names another request in X-Request-ID: ${why}`,
  );
}

function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function timeout(at: string, ms: number, whose: string, last?: Fault): ServiceError {
  const before = last === undefined ? '' : ` The last attempt failed: ${last.error.detail}`;
  return new ServiceError('timeout', `${at} had no answer within ${ms / 1000} s${whose}.${before}`);
}

function headerText(value: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(value)) return value;
  throw new ServiceError('invalid_request', 'A request id has 1 to 256 visible ASCII characters: choose another one.');
}

function withNote(error: ServiceError, note: string): ServiceError {
  const { code, detail, errors, cause, requestId, status } = error;
  return new ServiceError(code, detail + note, errors, { cause, requestId, status });
}

/** The error without the caller's secrets, in case an answer has repeated them. */
function redacted(error: ServiceError, secrets: string[]): ServiceError {
  const { code, detail, errors, cause, requestId, status } = error;
  if (!secrets.some((secret) => JSON.stringify([detail, errors, requestId]).includes(secret))) return error;
  const clean = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  const cleaned = errors.map(({ pointer, detail: why, address }) => ({
    pointer: clean(pointer),
    detail: clean(why),
    ...(address === undefined ? {} : { address: clean(address) }),
  }));
  const named = requestId === undefined ? undefined : clean(requestId);
  return new ServiceError(code, clean(detail), cleaned, { cause, requestId: named, status });
}

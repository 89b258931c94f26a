import { ProblemError } from '@authz-service/core/problem';
import { type Answer, problemOf, readAnswer } from './answer.js';
import type { Authorization } from './authorization.js';
import { networkFault } from './fault.js';
import { Limit, pause, until } from './limit.js';
import { backoffMs, type Fate, fateOf, mayRepeat, RETRY_AFTER_MAX_MS, type Repeat, retryAfterMs } from './retry.js';

/** What every method of the client takes. */
export interface CallOptions {
  /** Gives the call up, also while it waits to try again; the call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The longest that one attempt may take, in milliseconds. */
  timeoutMs?: number;
  /** The longest that the call may take with all its attempts and waits, in milliseconds. */
  overallTimeoutMs?: number;
  /** Sent as `X-Request-ID`, echoed and logged by the service. */
  requestId?: string;
}

export interface TransportOptions {
  /** The base address, without a slash at its end. */
  base: string;
  timeoutMs: number;
  overallTimeoutMs: number;
  retries: number;
  userAgent: string;
  fetch: typeof globalThis.fetch;
}

/** One request to a path below the base address. */
export interface ServiceRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON; a URLSearchParams as a form. */
  body?: unknown;
  repeat: Repeat;
  /** A shorter time for the whole call than the client's own, and which option sets it. */
  deadline?: { ms: number; of: string; option: string };
  /** The request changes something: a failure that leaves open whether it did, says so. */
  writes?: true;
  /** What no error text may repeat, besides the credential. */
  secrets?: string[];
  /** Statuses below 400 besides 2xx that are an answer and no fault. */
  also?: number;
}

/** A failed attempt: what went wrong, what became of the request, and how long the service asks to wait. */
export interface Fault {
  problem: ProblemError;
  fate: Fate;
  waitMs: number;
}

const UNCLEAR = ' It is not known whether the change was made: look before you try again.';

/** Sends requests: attempts with timeouts, retries where they are safe, credentials, and faults as problems. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  get base(): string {
    return this.#options.base;
  }

  /** Throws `ProblemError`: the service's own, `network` or `timeout`; or the reason of the caller's signal. */
  async send(request: ServiceRequest, options: CallOptions = {}, authorization?: Authorization): Promise<Answer> {
    const url = this.#url(request);
    const at = `${request.method} ${this.#options.base}${request.path}`;
    const { retries } = this.#options;
    const deadline = options.overallTimeoutMs === undefined ? request.deadline : undefined;
    const longest = options.overallTimeoutMs ?? this.#options.overallTimeoutMs;
    const overallTimeoutMs = Math.min(deadline?.ms ?? longest, longest);
    const whose = deadline?.ms === overallTimeoutMs ? `, the deadline of ${deadline.of} (${deadline.option})` : '';
    let last: Fault | undefined;
    const overall = new Limit(options.signal, overallTimeoutMs, () => timeout(at, overallTimeoutMs, whose, last));
    const endsAt = performance.now() + overallTimeoutMs;
    let renewed = false;
    let unclear = false;
    try {
      for (let attempt = 0; ; ) {
        const credential = await authorization?.get(overall.signal);
        const outcome = await this.#attempt(request, url, at, options, credential?.header, overall.signal);
        if ('status' in outcome) return outcome;
        last = { ...outcome, problem: redacted(outcome.problem, request.secrets ?? authorization?.secrets() ?? []) };
        if (last.problem.code === 'unauthorized' && credential?.reused === true && !renewed) {
          renewed = true;
          authorization?.discard(credential.header);
          continue;
        }
        unclear ||= last.fate === 'unclear';
        const waitMs = Math.max(last.waitMs, backoffMs(attempt));
        const hopeless = last.waitMs > RETRY_AFTER_MAX_MS || performance.now() + waitMs >= endsAt;
        if (attempt >= retries || hopeless || !mayRepeat(request.repeat, last.fate)) throw last.problem;
        await pause(waitMs, overall.signal);
        attempt += 1;
      }
    } catch (error) {
      throw request.writes && unclear && error instanceof ProblemError ? withNote(error, UNCLEAR) : error;
    } finally {
      overall.end();
    }
  }

  async #attempt(
    request: ServiceRequest,
    url: string,
    at: string,
    options: CallOptions,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<Answer | Fault> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    const limit = new Limit(signal, timeoutMs, () => timeout(at, timeoutMs, ''));
    try {
      const init = this.#init(request, options, authorization, limit.signal);
      const { fetch } = this.#options;
      const answer = await until(
        limit.signal,
        fetch(url, init).then((response) => readAnswer(response, at)),
      );
      if ((answer.status >= 200 && answer.status < 300) || answer.status === request.also) return answer;
      return {
        problem: problemOf(answer, at),
        fate: fateOf(answer.status),
        waitMs: retryAfterMs(answer.headers.get('retry-after'), Date.now()),
      };
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : limit.signal.reason;
      if (reason instanceof ProblemError) return { problem: reason, fate: 'unclear', waitMs: 0 };
      if (signal.aborted) throw reason;
      if (error instanceof ProblemError) return { problem: error, fate: 'final', waitMs: 0 };
      return networkFault(error, this.#options.base, at);
    } finally {
      limit.end();
    }
  }

  #init(
    { method, body, headers }: ServiceRequest,
    options: CallOptions,
    authorization: string | undefined,
    signal: AbortSignal,
  ): RequestInit {
    const sent: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      'user-agent': this.#options.userAgent,
      ...headers,
    };
    if (authorization !== undefined) sent.authorization = authorization;
    if (options.requestId !== undefined) sent['x-request-id'] = headerText(options.requestId);
    const init: RequestInit = { method, headers: sent, redirect: 'manual', signal };
    if (body instanceof URLSearchParams) init.body = body;
    else if (body !== undefined) {
      sent['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      init.body = JSON.stringify(body);
    }
    return init;
  }

  #url({ path, query = {} }: ServiceRequest): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
    const text = search.toString();
    return `${this.#options.base}${path}${text === '' ? '' : `?${text}`}`;
  }
}

function timeout(at: string, ms: number, whose: string, last?: Fault): ProblemError {
  const before = last === undefined ? '' : ` The last attempt failed: ${last.problem.detail}`;
  return new ProblemError('timeout', `${at} had no answer within ${ms / 1000} s${whose}.${before}`);
}

function headerText(value: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(value)) return value;
  throw new ProblemError('invalid_request', 'A request id has 1 to 256 visible ASCII characters: choose another one.');
}

function withNote(problem: ProblemError, note: string): ProblemError {
  return rewritten(problem, (text) => text + note, problem.errors);
}

/** The problem without the caller's secrets, should an answer have repeated them. */
function redacted(problem: ProblemError, secrets: string[]): ProblemError {
  if (!secrets.some((secret) => `${problem.detail}${JSON.stringify(problem.errors)}`.includes(secret))) return problem;
  const clean = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  const errors = problem.errors.map((item) => ({ ...item, detail: clean(item.detail) }));
  return rewritten(problem, clean, errors);
}

function rewritten(
  problem: ProblemError,
  rewrite: (text: string) => string,
  errors: ProblemError['errors'],
): ProblemError {
  return new ProblemError(problem.code, rewrite(problem.detail), errors, {
    cause: problem.cause,
    ...(problem.requestId === undefined ? {} : { requestId: problem.requestId }),
  });
}

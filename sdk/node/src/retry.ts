const CAP_MS = 10_000;

/**
 * The effect of repeating a request: `harmless` ones are repeated after any passing fault, `once` only where the request
 * surely was not processed.
 */
export type Repeat = 'harmless' | 'once';

/** The state of a failed request: `unprocessed` certainly did nothing, `unclear` may have, `final` was answered. */
export type RequestState = 'unprocessed' | 'unclear' | 'final';

export function mayRepeat(repeat: Repeat, state: RequestState): boolean {
  return state === 'unprocessed' || (state === 'unclear' && repeat === 'harmless');
}

/** The state of a failed request by the status of its answer. A gateway's 502 or 504 says nothing of what the service did. */
export function requestStateOf(status: number): RequestState {
  if (status === 429 || status === 503) return 'unprocessed';
  return status === 502 || status === 504 ? 'unclear' : 'final';
}

/** How many seconds an answer may be held back, if no attempt takes longer than `attemptMs`: there must be time for it to come. */
export function heldSeconds(wanted: number, attemptMs: number): number {
  return Math.min(wanted, Math.floor((attemptMs * 2) / 3 / 1000));
}

/** The wait before another attempt, in milliseconds: exponential from `baseMs`, with full jitter. `attempt` counts from 0. */
export function backoffMs(baseMs: number, attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, baseMs * 2 ** attempt);
}

/** A `Retry-After` header (RFC 9110 section 10.2.3) in milliseconds from `now`; 0 where there is none to go by. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = /^[A-Za-z]+, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}

/** The most retries that a client saves up. */
const SAVED_RETRIES = 10;

/**
 * How many retries a client may make: a tenth of its calls, and ten more. Where a service fails under load, retries of
 * every call would double the load.
 */
export class RetryBudget {
  #saved = SAVED_RETRIES;

  asked(): void {
    this.#saved = Math.min(SAVED_RETRIES, this.#saved + 0.1);
  }

  take(): boolean {
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}

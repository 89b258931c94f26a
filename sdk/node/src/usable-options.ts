import { isHeaderValue } from './own-headers.js';
import { ServiceError } from './service-error.js';

/** The longest time that a timer takes, in milliseconds: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Throws `invalid_config` for times, retries, sizes and names that no call could use. What is undefined has its default. */
export function demandUsable(options: {
  decisionTimeoutMs?: number | undefined;
  managementTimeoutMs?: number | undefined;
  attemptTimeoutMs?: number | undefined;
  retries?: number | undefined;
  batching?: boolean | { max: number } | undefined;
  userAgent?: string | undefined;
}): void {
  for (const name of ['decisionTimeoutMs', 'managementTimeoutMs', 'attemptTimeoutMs'] as const) {
    const ms = options[name];
    if (ms !== undefined && !(typeof ms === 'number' && ms > 0 && ms <= LONGEST_MS))
      throw unusable(name, ms, `milliseconds above 0, at most ${LONGEST_MS}`);
  }
  const { retries, batching, userAgent } = options;
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0))
    throw unusable('retries', retries, 'a whole number, 0 or more');
  if (typeof batching === 'object' && !(Number.isInteger(batching.max) && batching.max >= 1))
    throw unusable('batching.max', batching.max, 'a whole number, 1 or more');
  if (userAgent !== undefined && !isHeaderValue(userAgent))
    throw unusable('userAgent', userAgent, 'a name in plain ASCII, in one line');
}

function unusable(name: string, value: unknown, form: string): ServiceError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return new ServiceError('invalid_config', `The option ${name} is ${shown}: give ${form}.`);
}

import type { ClientOptions } from './client.js';
import { isHeaderValue } from './own-headers.js';
import { ServiceError } from './service-error.js';

/** The longest time that a timer takes, in milliseconds: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

const NAMES: Readonly<Record<keyof ClientOptions, true>> = {
  url: true,
  credentials: true,
  decisionTimeoutMs: true,
  managementTimeoutMs: true,
  attemptTimeoutMs: true,
  retries: true,
  batching: true,
  discover: true,
  fetch: true,
  tracer: true,
  at: true,
  readsOwnWrites: true,
  maxAgeSeconds: true,
  headers: true,
  userAgent: true,
  ca: true,
  proxy: true,
};

/** Options that are members of `credentials`. */
const OF_CREDENTIALS: readonly string[] = ['apiKey', 'clientId', 'clientSecret'];

/**
 * Throws `invalid_config` for names that are no option, and for values that no call could use. An option that is undefined has
 * its default.
 */
export function demandUsable(options: {
  decisionTimeoutMs?: number | undefined;
  managementTimeoutMs?: number | undefined;
  attemptTimeoutMs?: number | undefined;
  retries?: number | undefined;
  batching?: boolean | { max: number } | undefined;
  userAgent?: string | undefined;
}): void {
  for (const name of Object.keys(options)) if (!Object.hasOwn(NAMES, name)) throw unknown(name);
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

function unknown(name: string): ServiceError {
  const remedy = OF_CREDENTIALS.includes(name)
    ? `it is a member of credentials: write credentials: { ${name === 'apiKey' ? name : 'clientId, clientSecret'} }`
    : `there are ${Object.keys(NAMES).join(', ')}`;
  return new ServiceError('invalid_config', `There is no option ${JSON.stringify(name)}: ${remedy}.`);
}

function unusable(name: string, value: unknown, form: string): ServiceError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return new ServiceError('invalid_config', `The option ${name} is ${shown}: give ${form}.`);
}

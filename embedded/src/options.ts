import { readServedKeys } from '@authz-service/core/bundle/served-keys';
import { Secret } from '@authz-service/core/values/secret';
import { ServiceError } from '@authz-service/sdk';
import type { Logger } from './log.js';
import type { SyncOptions } from './synchronization.js';

/** The source of the records, and how they are kept. Times are milliseconds. */
export interface EmbeddedOptions {
  /** The address of the cloud. */
  cloudUrl?: string | URL | undefined;
  /** An API key with the scope `bundle`. */
  apiKey?: string | undefined;
  /** The address of published files, in place of cloud and key; needs `tenantId` and `bundleJwks`. */
  bundleUrl?: string | URL | undefined;
  /** A header for that server: `Authorization: Bearer TOKEN`. */
  bundleHeader?: string | undefined;
  /** The tenant's id or name; by default the only one in the bundle. */
  tenantId?: string | undefined;
  /** The folder in which bundles are kept, for starts without the cloud. Each process has one of its own. */
  cacheDir: string;
  /** How long a poll waits for something newer; 30,000 unless given. */
  pollIntervalMs?: number | undefined;
  /** The age of what is known past which nothing is decided (`too_old`); none unless given. */
  maxAgeMs?: number | undefined;
  /** The keys that sign bundles, as a JWKS; by default those of the first contact, kept in the cache. */
  bundleJwks?: string | undefined;
  /** Takes a revision older than the one served last; false unless given. */
  allowRollback?: boolean | undefined;
  /** How long `start` waits for the first bundle; 30,000 unless given. */
  readyMs?: number | undefined;
  /** Takes lines about the sync; a `pino` logger does. Nothing is logged unless it is given. */
  log?: Logger | undefined;
}

/** Whether a value can be that option, and the form that it has. */
interface Form {
  is(value: unknown): boolean;
  form: string;
}

/** Far below 24 days, at which a timer of Node overflows. */
const MS_MAX = 24 * 3_600_000;
const TEXT: Form = { is: (value) => typeof value === 'string' && value !== '', form: 'a text' };
const ADDRESS: Form = { is: isAddress, form: 'an http or https address without user, password, query and fragment' };

const FORMS: { readonly [K in keyof Required<EmbeddedOptions>]: Form } = {
  cloudUrl: ADDRESS,
  apiKey: {
    is: (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
    form: 'an API key, which has no white space',
  },
  bundleUrl: ADDRESS,
  bundleHeader: {
    is: (value) => typeof value === 'string' && /^[!#$%&'*+.^_`|~\w-]+:[ \t]*[\x21-\x7e][\x20-\x7e]*$/.test(value),
    form: 'a header like "Authorization: Bearer TOKEN"',
  },
  tenantId: TEXT,
  cacheDir: {
    is: (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
    form: 'the path of a folder',
  },
  pollIntervalMs: milliseconds(10, MS_MAX),
  maxAgeMs: milliseconds(1, Number.MAX_SAFE_INTEGER),
  bundleJwks: TEXT,
  allowRollback: { is: (value) => typeof value === 'boolean', form: 'true or false' },
  readyMs: milliseconds(0, MS_MAX),
  log: { is: isLogger, form: 'an object with the functions debug, info, warn and error' },
};

/** The options of the sync. Throws `invalid_config`, with the name of the option and the form that it needs. */
export function settingsOf(options: EmbeddedOptions): SyncOptions {
  if (typeof options !== 'object' || options === null)
    throw invalid('There are no options: give an object with cloudUrl, apiKey and cacheDir');
  for (const [name, value] of Object.entries(options)) {
    const known = Object.hasOwn(FORMS, name) ? FORMS[name as keyof EmbeddedOptions] : undefined;
    if (known === undefined)
      throw invalid(`There is no option ${JSON.stringify(name)}: there are ${Object.keys(FORMS).join(', ')}`);
    if (value !== undefined && !known.is(value)) throw invalid(`${name} is ${shown(value)}: give ${known.form}`);
  }
  const { cloudUrl, apiKey, bundleUrl, bundleHeader, bundleJwks, tenantId, maxAgeMs, cacheDir } = options;
  const { pollIntervalMs = 30_000, allowRollback = false } = options;
  const isStatic = bundleUrl !== undefined;
  if (isStatic && (tenantId === undefined || bundleJwks === undefined))
    throw invalid('bundleUrl needs tenantId and bundleJwks: a web server proves nothing of who made its files');
  if (isStatic && (cloudUrl !== undefined || apiKey !== undefined))
    throw invalid('bundleUrl stands in place of cloudUrl and apiKey: give one or the other');
  if (!isStatic && (cloudUrl === undefined || apiKey === undefined))
    throw invalid('cloudUrl and apiKey are required, or bundleUrl');
  if (cacheDir === undefined) throw invalid('cacheDir is required: give the path of a folder for this process alone');
  if (maxAgeMs !== undefined && maxAgeMs < 2 * pollIntervalMs)
    throw invalid(`maxAgeMs is ${maxAgeMs}, less than two poll intervals: give at least ${2 * pollIntervalMs}`);
  return {
    cloudUrl: new URL(cloudUrl ?? 'http://127.0.0.1'),
    ...(apiKey !== undefined && { apiKey: new Secret(apiKey) }),
    ...(bundleUrl !== undefined && { bundleUrl: new URL(bundleUrl) }),
    ...(bundleHeader !== undefined && { bundleHeader: new Secret(bundleHeader) }),
    ...(bundleJwks !== undefined && { bundleJwks: keysOf(bundleJwks) }),
    tenantId,
    pollIntervalMs,
    maxAgeMs,
    cacheDir,
    allowRollback,
  };
}

function milliseconds(min: number, max: number): Form {
  const is = (value: unknown) => typeof value === 'number' && value >= min && value <= max;
  return { is, form: `a number of milliseconds from ${min} to ${max}` };
}

function isAddress(value: unknown): boolean {
  if (!(typeof value === 'string' || value instanceof URL) || !URL.canParse(String(value))) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && `${username}${password}${search}${hash}` === '';
}

function isLogger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['debug', 'info', 'warn', 'error'].every((name) => typeof (value as never)[name] === 'function');
}

/** A value in words. A text is not shown, since it may be a secret. */
function shown(value: unknown): string {
  if (value === '') return 'empty';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a text that it cannot be';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function keysOf(jwks: string): ReturnType<typeof readServedKeys> {
  try {
    return readServedKeys(jwks);
  } catch (error) {
    throw invalid(
      `bundleJwks does not pin keys: ${(error as Error).message} The cloud serves one at /.well-known/jwks.json`,
    );
  }
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalid_config', `${detail}.`);
}

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { unpackDelta } from '@authz-service/core/bundle/delta-read';
import { DELTA_MANIPULATION } from '@authz-service/core/bundle/format';
import { readServedKeys, type ServedKeys } from '@authz-service/core/bundle/served-keys';
import type { BundleArchive, BundleLimits } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import type { Secret } from '@authz-service/core/secret';
import { AGENT_HEADER } from '@authz-service/pdp/contract/agent-report';
import { askCloud, type RequestBounds } from './cloud-request.js';
import { refuseOther, remedyFor } from './refuse-other.js';
import type { Spool } from './spool.js';

export interface BundleSource {
  cloudUrl: URL;
  apiKey: Secret;
  /** What the agent says about itself at this moment. Absent if it says nothing. */
  report?(): string;
}

export interface FetchOptions {
  bounds: FetchBounds;
  stop: AbortSignal;
  /**
   * Provides the place for a whole bundle, before any of it is read. If this throws, the fetch ends and throws the
   * same.
   */
  spool(): Promise<Spool>;
  /** Unpacks it there, as `unpackBundleTo` does. */
  unpack(source: Readable, limits: BundleLimits, into: Spool): Promise<string | undefined>;
}

/** The limits of an answer, in time and in size. */
export type FetchBounds = BundleLimits & RequestBounds;

/**
 * What the agent already has, and for how many seconds the cloud may hold its answer until there is something newer.
 */
export interface Known {
  etag?: string | undefined;
  /** Whether a delta from that revision is as good as the whole bundle. */
  delta?: boolean;
  waitSeconds?: number;
}

interface Answered {
  /** Whether the cloud accepted the request to hold its answer (RFC 7240 section 3). */
  holds: boolean;
  /** The id of the current signing key, if the cloud names it. */
  key: string | undefined;
  /** Its signed statement of when the bundle was the newest, not yet verified. */
  newest: string | undefined;
  /** Whether the cloud says that it never had the revision of the `etag`. */
  diverged: boolean;
  /** How far its clock is ahead of this machine's; undefined if it does not say (RFC 9110 section 6.6.1). */
  aheadMs: number | undefined;
}

/** A delta that cannot be unpacked. The error says why; the whole bundle is the way out. */
export type Fetched = Answered &
  (
    | { is: 'same' }
    | { is: 'bundle'; bytes: Spool; jws: string | undefined }
    | { is: 'delta'; archive: BundleArchive | ProblemError }
  );

/** More than a cloud sends as a delta. */
export const DELTA_LIMITS: BundleLimits = { compressed: 16 * 1024 * 1024, unpacked: 32 * 1024 * 1024 };

const KEYS_BYTES_MAX = 1024 * 1024;

/**
 * Asks the cloud for the bundle, unless it is still the one of `etag` (RFC 9110 section 13.1.2), or for what has
 * changed since (RFC 3229). Redirects are failures: following one would show the credential to another server. Throws
 * `network`, `timeout`, `unauthorized`, `forbidden` or `invalid_bundle`, with a detail for the log.
 */
export function fetchBundle(
  { cloudUrl, apiKey, report }: BundleSource,
  { etag, delta = false, waitSeconds = 0 }: Known,
  { bounds, stop, spool, unpack }: FetchOptions,
): Promise<Fetched> {
  const takesDelta = delta && etag !== undefined;
  const headers = {
    authorization: `Bearer ${apiKey.reveal()}`,
    accept: 'application/gzip',
    ...(report && { [AGENT_HEADER]: report() }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(takesDelta ? { 'a-im': DELTA_MANIPULATION } : {}),
    ...(waitSeconds === 0 ? {} : { prefer: `wait=${waitSeconds}` }),
  };
  const request = { cloudUrl, path: '/v1/policies/bundle', headers, bounds, holdMs: waitSeconds * 1000, stop };
  return askCloud(request, async (response) => {
    const key = response.headers['bundle-key'];
    const newest = response.headers['bundle-newest'];
    const answered: Answered = {
      holds: /(^|,)\s*wait\s*(=|,|$)/i.test(String(response.headers['preference-applied'] ?? '')),
      key: typeof key === 'string' ? key : undefined,
      newest: typeof newest === 'string' ? newest : undefined,
      diverged: etag !== undefined && response.headers['bundle-diverged'] === etag,
      aheadMs: response.headers.date === undefined ? undefined : Date.parse(response.headers.date) - Date.now(),
    };
    if (response.statusCode === 304 && etag !== undefined) {
      refuseSameOfOther(response, etag, cloudUrl);
      return { ...answered, is: 'same' };
    }
    if (response.statusCode === 226 && takesDelta && response.headers.im === DELTA_MANIPULATION) {
      return { ...answered, is: 'delta', archive: await unpackDelta(response, DELTA_LIMITS).catch(faultOf) };
    }
    await refuseOther(response, cloudUrl);
    return { ...answered, is: 'bundle', ...(await unpackWhole(response, { bounds, spool, unpack })) };
  });
}

/** What is wrong with the archive itself; throws anything else. */
export function faultOf(error: unknown): ProblemError {
  if (error instanceof ProblemError && error.code === 'invalid_bundle') return error;
  throw error;
}

/** The bundle itself is gzip: if a proxy compresses it again, the result is not an archive. */
export async function unpackWhole(
  response: IncomingMessage,
  { bounds, spool, unpack }: Omit<FetchOptions, 'stop'>,
): Promise<{ bytes: Spool; jws: string | undefined }> {
  const encoding = response.headers['content-encoding'];
  let broken: unknown;
  response.once('error', (error) => {
    broken = error;
  });
  const bytes = await spool();
  try {
    // Unpacking would report it as an incomplete archive.
    if (broken !== undefined) throw broken;
    return { bytes, jws: await unpack(response, bounds, bytes) };
  } catch (error) {
    await bytes.discard();
    if (encoding === undefined || !(error instanceof ProblemError)) throw error;
    const detail = `${error.detail} It came with "Content-Encoding: ${encoding.slice(0, 100)}", which was not asked for: ${BETWEEN}.`;
    throw new ProblemError(error.code, detail, [], { cause: error });
  }
}

const BETWEEN = 'check the proxies between agent and cloud';

/** If a cache on the way confused one bundle with another, the agent would stop following the cloud unnoticed. */
function refuseSameOfOther({ headers }: IncomingMessage, asked: string, { origin }: URL): void {
  const named = headers.etag?.replace(/^W\//, '');
  if (named === undefined || named === asked) return;
  throw new ProblemError(
    'network',
    `The cloud at ${origin} answered that nothing is newer than ${named.slice(0, 100)}, but was asked about ${asked}: ${BETWEEN}.`,
  );
}

/** Asks the cloud for the keys that sign bundles. They are public, so the credential is not sent. */
export function fetchKeys(cloudUrl: URL, bounds: FetchBounds, stop: AbortSignal): Promise<ServedKeys> {
  // A cached answer may be older than the key that is looked for.
  const headers = { accept: 'application/json', 'cache-control': 'no-cache' };
  return askCloud({ cloudUrl, path: '/.well-known/jwks.json', headers, bounds, stop }, async (response) => {
    if (response.statusCode !== 200) {
      throw new ProblemError(
        'network',
        `The cloud at ${cloudUrl.origin} answered with status ${response.statusCode} when asked for the keys of its bundles${remedyFor(response.statusCode ?? 0)}.`,
      );
    }
    return await keysIn(response);
  });
}

/** Reads a JWKS. */
export async function keysIn(response: IncomingMessage): Promise<ServedKeys> {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > KEYS_BYTES_MAX) response.destroy(new ProblemError('invalid_bundle', 'There are too many bundle keys.'));
  });
  return readServedKeys(await text(response));
}

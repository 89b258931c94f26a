import type { IncomingMessage } from 'node:http';
import { unpackDelta } from '@authz-service/core/bundle/delta-read';
import { DELTA_MANIPULATION } from '@authz-service/core/bundle/format';
import { DELTA_LIMITS } from '@authz-service/core/bundle/limits';
import type { ServedKeys } from '@authz-service/core/bundle/served-keys';
import type { BundleArchive } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import type { Secret } from '@authz-service/core/values/secret';
import { AGENT_HEADER } from '@authz-service/pdp/contract/agent-report';
import type { Spool } from '../cache/spool.js';
import { assertArchive, remedyFor } from './cloud-refusal.js';
import { BETWEEN, type FetchBounds, type FetchOptions, faultOf, keysIn, unpackWhole } from './fetching.js';
import { askServer } from './server-request.js';

export interface CloudSource {
  cloudUrl: URL;
  apiKey: Secret;
  /** Returns the agent's present report. Absent if it makes none. */
  report?(): string;
}

/**
 * The revision that the agent already has, and for how many seconds the cloud may hold its answer until there is something
 * newer.
 */
export interface KnownBundle {
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

/**
 * Asks the cloud for the bundle, unless it is still the one of `etag` (RFC 9110 section 13.1.2), or for what has
 * changed since (RFC 3229). Redirects are failures: following one would show the credential to another server. Throws
 * `network`, `timeout`, `unauthorized`, `forbidden` or `invalid_bundle`, with a detail for the log.
 */
export function fetchBundle(
  { cloudUrl, apiKey, report }: CloudSource,
  { etag, delta = false, waitSeconds = 0 }: KnownBundle,
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
  const request = { baseUrl: cloudUrl, path: '/v1/policies/bundle', headers, bounds, holdMs: waitSeconds * 1000, stop };
  return askServer(request, async (response) => {
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
    await assertArchive(response, cloudUrl);
    return { ...answered, is: 'bundle', ...(await unpackWhole(response, { bounds, spool, unpack })) };
  });
}

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
  return askServer({ baseUrl: cloudUrl, path: '/.well-known/jwks.json', headers, bounds, stop }, async (response) => {
    if (response.statusCode !== 200) {
      throw new ProblemError(
        'network',
        `The cloud at ${cloudUrl.origin} answered with status ${response.statusCode} when asked for the keys of its bundles${remedyFor(response.statusCode ?? 0)}.`,
      );
    }
    return await keysIn(response);
  });
}

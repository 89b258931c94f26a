import type { IncomingMessage } from 'node:http';
import { unpackDelta } from '@authz-service/core/bundle/delta-read';
import { DELTA_LIMITS } from '@authz-service/core/bundle/limits';
import {
  KEYS_FILE,
  POINTER_BYTES_MAX,
  POINTER_FILE,
  type Pointer,
  readPointer,
} from '@authz-service/core/bundle/publication';
import type { ServedKeys } from '@authz-service/core/bundle/served-keys';
import type { BundleArchive } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import type { Secret } from '@authz-service/core/values/secret';
import type { Spool } from '../cache/spool.js';
import { boundedText, type FetchOptions, faultOf, keysIn, unpackWhole } from './fetching.js';
import { askServer, type ServerName } from './server-request.js';

/** A folder that "servicectl bundle publish" writes, at a web server. */
export interface StaticSource {
  bundleUrl: URL;
  /** `Name: value`, for servers that want one. */
  bundleHeader?: Secret;
}

/** The validators that tell a server which pointer is known (RFC 9110 section 13.1). */
export interface Validators {
  etag: string | undefined;
  lastModified: string | undefined;
}

const ASKED: ServerName = { whom: 'The web server', setting: 'SERVICE_BUNDLE_URL' };
/** The statuses of a file that a server does not have; object stores say 403 to who may not list files. */
const MISSING = new Set([403, 404, 410]);

/** The pointer, unless it is still that of the validators. Throws `network`, `timeout`, `unauthorized` or `invalid_bundle`. */
export async function fetchPointer(
  source: StaticSource,
  known: Validators | undefined,
  options: FetchOptions,
): Promise<{ pointer: Pointer; validators: Validators } | undefined> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (known?.etag !== undefined) headers['if-none-match'] = known.etag;
  else if (known?.lastModified !== undefined) headers['if-modified-since'] = known.lastModified;
  const conditional = known?.etag !== undefined || known?.lastModified !== undefined;
  return await ask(source, POINTER_FILE, headers, options, async (response) => {
    if (response.statusCode === 304 && conditional) return undefined;
    assertFound(response, source, POINTER_FILE);
    const tooLong = `${POINTER_FILE} has more than ${POINTER_BYTES_MAX} bytes: check SERVICE_BUNDLE_URL.`;
    const pointer = readPointer(await boundedText(response, POINTER_BYTES_MAX, tooLong));
    const { etag, 'last-modified': lastModified } = response.headers;
    return { pointer, validators: { etag, lastModified } };
  });
}

/** A file with changes; undefined if there is none. An archive that cannot be unpacked is its fault. */
export function fetchDeltaFile(
  source: StaticSource,
  path: string,
  options: FetchOptions,
): Promise<BundleArchive | ProblemError | undefined> {
  return ask(source, path, {}, options, async (response) => {
    if (MISSING.has(response.statusCode ?? 0)) return undefined;
    assertFound(response, source, path);
    return await unpackDelta(response, DELTA_LIMITS).catch(faultOf);
  });
}

/** A file with a whole bundle, which is streamed to its place as it arrives. */
export function fetchBundleFile(
  source: StaticSource,
  path: string,
  options: FetchOptions,
): Promise<{ bytes: Spool; jws: string | undefined }> {
  return ask(source, path, {}, options, async (response) => {
    assertFound(response, source, path);
    return await unpackWhole(response, options);
  });
}

/** The keys beside the pointer. Only those count that announcements lead to. */
export function fetchKeysFile(
  source: StaticSource,
  options: Pick<FetchOptions, 'bounds' | 'stop'>,
): Promise<ServedKeys> {
  return ask(source, KEYS_FILE, { 'cache-control': 'no-cache' }, options, async (response) => {
    assertFound(response, source, KEYS_FILE);
    return await keysIn(response);
  });
}

function ask<T>(
  { bundleUrl, bundleHeader }: StaticSource,
  file: string,
  headers: Record<string, string>,
  { bounds, stop }: Pick<FetchOptions, 'bounds' | 'stop'>,
  take: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(bundleHeader?.reveal() ?? '') ?? [];
  const own = name === undefined || value === undefined ? {} : { [name]: value };
  const request = {
    baseUrl: bundleUrl,
    path: `/${file}`,
    headers: { ...headers, ...own },
    bounds,
    stop,
    asked: ASKED,
  };
  return askServer(request, take);
}

/** Throws unless the response is a 200. */
function assertFound({ statusCode = 0, headers }: IncomingMessage, { bundleUrl }: StaticSource, file: string): void {
  if (statusCode === 200) return;
  const answered = `The web server at ${bundleUrl.origin} answered with status ${statusCode} when asked for ${file}`;
  if (statusCode === 401) throw new ProblemError('unauthorized', `${answered}: check SERVICE_BUNDLE_HEADER.`);
  throw new ProblemError('network', `${answered}${remedyFor(statusCode, headers.location)}.`);
}

function remedyFor(status: number, location: string | undefined): string {
  if (MISSING.has(status)) {
    return ': check SERVICE_BUNDLE_URL, that "servicectl bundle publish" has written there, and SERVICE_BUNDLE_HEADER if the server wants one';
  }
  if (status < 300 || status > 399 || status === 304) return '';
  const target = location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  return `${target}, and redirects are not followed: set SERVICE_BUNDLE_URL to the final address`;
}

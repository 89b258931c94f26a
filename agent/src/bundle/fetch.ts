import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { unpackBundle } from '@authz-service/core/bundle/read';
import type { BundleLimits } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import type { Secret } from '../config/secret.js';

export interface BundleSource {
  cloudUrl: URL;
  apiKey: Secret;
}

/** How long and how much of an answer is waited for. */
export interface FetchBounds extends BundleLimits {
  /** The longest silence on the connection, in milliseconds. */
  idleMs: number;
  /** From the first byte sent to the last received, in milliseconds. */
  totalMs: number;
}

export type Fetched =
  | { changed: false }
  /** `json`: the bytes of `bundle.json`, not yet checked. */
  | { changed: true; json: Buffer; etag: string | undefined };

/** Media types under which a gzip archive is served; without a type the bytes alone decide. */
const ARCHIVE_TYPE = /^application\/(gzip|octet-stream|(x-)?(gzip|tar|gtar|tgz|tar\+gzip|compressed-tar))\s*(;|$)/i;

/**
 * Asks the cloud for the bundle, unless it still is the one of `etag` (RFC 9110 section 13.1.2). Redirects are failures:
 * following one would show the credential to another server. Throws `network`, `timeout`, `unauthorized`, `forbidden`
 * or `invalid_bundle`, in words fit for the log.
 */
export async function fetchBundle(
  { cloudUrl, apiKey }: BundleSource,
  etag: string | undefined,
  bounds: FetchBounds,
  stop: AbortSignal,
): Promise<Fetched> {
  const url = bundleUrl(cloudUrl);
  const total = AbortSignal.timeout(bounds.totalMs);
  try {
    const response = await send(
      url,
      {
        headers: {
          authorization: `Bearer ${apiKey.reveal()}`,
          accept: 'application/gzip',
          'accept-encoding': 'identity',
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
        // A connection of its own: nothing of an earlier, broken exchange can be taken for this one's answer.
        agent: false,
        timeout: bounds.idleMs,
        signal: AbortSignal.any([stop, total]),
      },
      `The cloud at ${url.origin} was silent for ${bounds.idleMs / 1000} s.`,
    );
    try {
      if (response.statusCode === 304 && etag !== undefined) return { changed: false };
      refuseOther(response, url);
      return { changed: true, json: await unpackBundle(response, bounds), etag: response.headers.etag };
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (total.aborted) {
      const detail = `The bundle was not received from ${url.origin} within ${bounds.totalMs / 1000} s.`;
      throw new ProblemError('timeout', detail, [], { cause: error });
    }
    throw new ProblemError('network', `The cloud at ${url.origin} could not be asked: ${causeOf(error)}.`, [], {
      cause: error,
    });
  }
}

function bundleUrl(cloudUrl: URL): URL {
  const url = new URL(cloudUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/policies/bundle`;
  return url;
}

function send(url: URL, options: RequestOptions, silence: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    // Stays in force while the body is received, where it ends the response with this error.
    let response: IncomingMessage | undefined;
    request.on('response', (received) => {
      response = received;
    });
    request.on('timeout', () => {
      const error = new ProblemError('timeout', silence);
      response?.destroy(error);
      request.destroy(error);
    });
    request.on('error', reject);
    request.end();
  });
}

/** Throws unless the response is a 200 with an archive. */
function refuseOther({ statusCode = 0, headers }: IncomingMessage, { origin }: URL): void {
  if (statusCode === 401) {
    throw new ProblemError('unauthorized', `The cloud at ${origin} refused the API key (401): check SERVICE_API_KEY.`);
  }
  if (statusCode === 403) {
    throw new ProblemError('forbidden', `The API key may not fetch bundles (403): make one with the scope "bundle".`);
  }
  if (statusCode !== 200) {
    const redirect = statusCode > 300 && statusCode < 400 && statusCode !== 304;
    const hint = redirect ? ', and redirects are not followed: check SERVICE_CLOUD_URL' : '';
    throw new ProblemError('network', `The cloud at ${origin} answered with status ${statusCode}${hint}.`);
  }
  const type = headers['content-type'];
  if (type !== undefined && !ARCHIVE_TYPE.test(type)) {
    const detail = `The cloud at ${origin} answered with ${type.slice(0, 100)} in place of a bundle: check SERVICE_CLOUD_URL.`;
    throw new ProblemError('invalid_bundle', detail);
  }
}

function causeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // Several addresses tried in vain give an error of errors, whose own message is empty.
  return message || code || String(error);
}

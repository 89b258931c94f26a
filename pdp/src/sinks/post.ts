import { Agent, type IncomingHttpHeaders, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { KEPT, proxyAgents } from '../transport/proxy.js';
import { AskedToWait, RefusedLines } from './target.js';
import { readHeader, type TlsFiles, tlsOptions } from './tls-files.js';

const TIMEOUT_MS = 10_000;
const zip = promisify(gzip);
const KEPT_HTTP = new Agent(KEPT);
const KEPT_HTTPS = new TlsAgent(KEPT);

/** Never taken, however often they are sent: malformed, too large, of another form. */
const REFUSED = new Set([400, 413, 415, 422]);

export interface Receiver {
  url: URL;
  /** A file with a header that is sent, read for each request. */
  headerFile?: string | undefined;
  tls: TlsFiles;
}

/**
 * Posts a body, compressed, and resolves with the answer's text if it is a success. Throws `RefusedLines` and `AskedToWait` as the
 * status says, and other errors without the address, whose path may be a secret.
 */
export async function post(receiver: Receiver, type: string, body: string, stop: AbortSignal): Promise<string> {
  const { url, headerFile, tls } = receiver;
  const bytes = await zip(body);
  const headers = {
    'content-type': type,
    'content-encoding': 'gzip',
    'content-length': String(bytes.length),
    ...(headerFile !== undefined && readHeader(headerFile)),
  };
  const isSecure = url.protocol === 'https:';
  const options: RequestOptions = {
    method: 'POST',
    headers,
    agent: proxyAgents(url)?.kept ?? (isSecure ? KEPT_HTTPS : KEPT_HTTP),
    signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    ...(isSecure && tlsOptions(tls)),
  };
  const { status, answer, headers: received } = await exchange(url, options, bytes);
  if (status >= 200 && status < 300) return answer;
  const message = `the receiver answers ${status}`;
  if (REFUSED.has(status)) throw new RefusedLines(message);
  const seconds = Number(received['retry-after']);
  throw new AskedToWait(message, Number.isFinite(seconds) ? seconds * 1000 : 0);
}

function exchange(
  url: URL,
  options: RequestOptions,
  bytes: Buffer,
): Promise<{ status: number; answer: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (response) => {
      text(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, answer, headers: response.headers });
      }, reject);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isLate = error.name === 'TimeoutError' || (error.cause as Error | undefined)?.name === 'TimeoutError';
      reject(isLate ? new Error(`no answer within ${TIMEOUT_MS / 1000} s`) : error);
    });
    request.end(bytes);
  });
}

import type { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { PROBLEM_TYPE } from '@authz-service/pdp/transport/problem-document';

/** Media types under which a gzip archive is served. Without a type, only the bytes decide. */
const ARCHIVE_TYPE = /^application\/(gzip|octet-stream|(x-)?(gzip|tar|gtar|tgz|tar\+gzip|compressed-tar))\s*(;|$)/i;

/** More than the problem document of a cloud takes, and than people read of it. */
const PROBLEM_BYTES_MAX = 16 * 1024;
const SAID_MAX = 500;

/** Throws unless the response is a 200 with an archive. The reason that a cloud gives is part of the detail. */
export async function assertArchive(response: IncomingMessage, { origin }: URL): Promise<void> {
  const { statusCode = 0, headers } = response;
  const type = headers['content-type'];
  if (statusCode === 200) {
    if (type === undefined || ARCHIVE_TYPE.test(type)) return;
    const detail = `The cloud at ${origin} answered with ${type.slice(0, 100)} instead of a bundle: check SERVICE_CLOUD_URL.`;
    throw new ProblemError('invalid_bundle', detail);
  }
  const reason = type?.startsWith(PROBLEM_TYPE) ? await detailIn(response) : undefined;
  const withReason = (detail: string) => (reason === undefined ? detail : `${detail} It says: ${reason}`);
  if (statusCode === 401)
    throw new ProblemError(
      'unauthorized',
      withReason(`The cloud at ${origin} refused the API key (401): check SERVICE_API_KEY.`),
    );
  if (statusCode === 403)
    throw new ProblemError(
      'forbidden',
      withReason(`The API key may not fetch bundles (403): create one with the scope "bundle".`),
    );
  if (statusCode === 409)
    throw new ProblemError('conflict', withReason(`The cloud at ${origin} refused this agent (409).`));
  throw new ProblemError(
    'network',
    withReason(`The cloud at ${origin} answered with status ${statusCode}${remedyFor(statusCode)}.`),
  );
}

/** The detail of a problem document; undefined if there is none that can be read. */
async function detailIn(response: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > PROBLEM_BYTES_MAX) return undefined;
  }
  try {
    const { detail } = JSON.parse(text);
    return typeof detail === 'string' ? detail.slice(0, SAID_MAX) : undefined;
  } catch {
    return undefined;
  }
}

/** A status that means that the server is not a cloud but, for example, an agent or a web server. */
const ELSEWHERE = new Set([404, 405]);

/** Returns the remedy for a status that no cloud answers with. */
export function remedyFor(status: number): string {
  if (status > 300 && status < 400 && status !== 304)
    return ', and redirects are not followed: check SERVICE_CLOUD_URL';
  return ELSEWHERE.has(status) ? ', as no cloud does: check SERVICE_CLOUD_URL' : '';
}

import { isObject, itemsOf } from './decision.js';
import { codeOfStatus, isErrorCode, ServiceError } from './service-error.js';

/** The longest answer read, in bytes after decompression. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

/** Statuses that proxies answer in the service's place, with texts of their own. */
const GATEWAY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The answer of the service, read whole. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: Uint8Array;
}

/** Reads a response whole. Throws `network` beyond `max` bytes, whatever the length the server announced. */
export async function readAnswer(response: Response, at: string, max = ANSWER_BYTES_MAX): Promise<HttpAnswer> {
  const { status, headers } = response;
  const announced = headers.get('content-length');
  if (announced !== null && Number(announced) <= max && !headers.has('content-encoding')) {
    return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > max) {
      reader?.cancel().catch(() => {});
      throw new ServiceError('network', `${at} answered with more than ${max} bytes: it is not read further.`);
    }
    chunks.push(part.value);
  }
  const body = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return { status, headers, body };
}

/** The JSON of a successful answer. Throws `network` where something other than the service has answered. */
export function jsonOf(answer: HttpAnswer, at: string): unknown {
  const parsed = isJson(answer) ? parse(answer.body) : undefined;
  if (parsed === undefined) throw notTheService(answer, at);
  return parsed;
}

/** The error in an answer that is none to the request. */
export function errorOf(answer: HttpAnswer, at: string): ServiceError {
  const { status } = answer;
  if (status < 300) {
    const detail = `${at} answered ${status}: that is no answer to this request, whatever it holds.`;
    return new ServiceError('network', detail, [], { status });
  }
  if (status < 400) {
    return new ServiceError(
      'network',
      `${at} answered ${status}${redirection(answer)}: redirects are not followed, for they would carry ` +
        'the credential elsewhere. Set the final address as URL.',
      [],
      { status },
    );
  }
  const body = isJson(answer) ? parse(answer.body) : undefined;
  if (!isObject(body)) return notTheService(answer, at);
  const code = isErrorCode(body.code) ? body.code : isScimError(body) ? codeOfStatus(status) : undefined;
  if (code === undefined && GATEWAY.has(status)) {
    const why = 'a proxy on the way is busy, or does not reach the service.';
    const detail = `${at} answered ${status} with JSON that is not the service's: ${why}`;
    return new ServiceError('network', detail, [], { status });
  }
  if (typeof body.error === 'string') return oauthError(body.error, body.error_description, status, at);
  return new ServiceError(
    code ?? codeOfStatus(status),
    textOf(body.detail) ?? textOf(body.title) ?? textOf(body.message) ?? `${at} answered ${status} and gave no detail.`,
    itemsOf(body.errors),
    { requestId: textOf(body.request_id) ?? answer.headers.get('x-request-id') ?? undefined, status },
  );
}

/** Whether it is an error of SCIM (RFC 7644 section 3.12), which has no code of the service. */
function isScimError({ schemas }: { schemas?: unknown }): boolean {
  return Array.isArray(schemas) && schemas.includes('urn:ietf:params:scim:api:messages:2.0:Error');
}

/** An error of the token endpoint (RFC 6749 section 5.2). */
function oauthError(error: string, description: unknown, status: number, at: string): ServiceError {
  const why = textOf(description);
  const detail = `${at} refused (${error})${why === undefined ? '' : `: ${why.replace(/\.$/, '')}`}.`;
  return new ServiceError(error === 'invalid_client' ? 'invalid_client' : codeOfStatus(status), detail, [], { status });
}

function notTheService(answer: HttpAnswer, at: string): ServiceError {
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'no content type';
  return new ServiceError(
    'network',
    `${at} answered ${answer.status} with ${isJson(answer) ? 'JSON that cannot be used' : `${type} instead of JSON`}: ` +
      'that is not the service. Check the URL, and any proxy on the way.',
    [],
    { status: answer.status },
  );
}

/** Returns the target of a redirect, without the parts that may hold secrets. */
function redirection(answer: HttpAnswer): string {
  const location = answer.headers.get('location');
  if (location === null) return '';
  try {
    const { origin, pathname } = new URL(location, 'relative://');
    return ` to ${origin === 'null' ? '' : origin}${pathname}`;
  } catch {
    return '';
  }
}

function isJson(answer: HttpAnswer): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(answer.headers.get('content-type') ?? '');
}

const UTF8 = new TextDecoder();

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(body));
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

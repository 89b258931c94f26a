import { PROBLEMS, type ProblemCode, ProblemError, type ProblemItem } from '@authz-service/core/problem';

/** The longest answer read, in bytes after decompression. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

/** What proxies answer in the service's place, in whatever words. */
const GATEWAY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What the service answered, read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** Reads a response whole. Throws `network` beyond `max` bytes, whatever the length the server announced. */
export async function readAnswer(response: Response, at: string, max = ANSWER_BYTES_MAX): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (response.body !== null) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > max) {
        throw new ProblemError('network', `${at} answered with more than ${max} bytes: it is not read further.`);
      }
      chunks.push(chunk);
    }
  }
  return { status: response.status, headers: response.headers, body: Buffer.concat(chunks, bytes) };
}

/** The JSON of a successful answer. Throws `network` where something other than the service has answered. */
export function jsonOf(answer: Answer, at: string): unknown {
  const parsed = isJson(answer) ? parse(answer.body) : undefined;
  if (parsed === undefined) throw notTheService(answer, at);
  return parsed;
}

/** The problem that an answer of 300 and above states. */
export function problemOf(answer: Answer, at: string): ProblemError {
  if (answer.status < 400) {
    return new ProblemError(
      'network',
      `${at} answered ${answer.status}${redirection(answer)}: redirects are not followed, for they would carry ` +
        'the credential elsewhere. Set the final address as URL.',
    );
  }
  const body = isJson(answer) ? parse(answer.body) : undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return notTheService(answer, at);
  const members = body as Record<string, unknown>;
  const code = codeOf(members.code);
  if (code === undefined && GATEWAY.has(answer.status)) {
    const why = 'a proxy on the way is busy, or does not reach the service.';
    return new ProblemError('network', `${at} answered ${answer.status} with JSON that is not the service's: ${why}`);
  }
  if (typeof members.error === 'string') return oauthProblem(members.error, members.error_description, at);
  const requestId = textOf(members.request_id) ?? answer.headers.get('x-request-id') ?? undefined;
  return new ProblemError(
    code ?? 'internal',
    textOf(members.detail) ?? textOf(members.title) ?? `${at} answered ${answer.status} and gave no detail.`,
    itemsOf(members.errors),
    requestId === undefined ? {} : { requestId },
  );
}

/** An error of the token endpoint (RFC 6749 section 5.2). */
function oauthProblem(error: string, description: unknown, at: string): ProblemError {
  const why = textOf(description);
  const detail = `${at} refused (${error})${why === undefined ? '' : `: ${why.replace(/\.$/, '')}`}.`;
  return new ProblemError(error === 'invalid_client' ? 'invalid_client' : 'invalid_request', detail);
}

function notTheService(answer: Answer, at: string): ProblemError {
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'no content type';
  return new ProblemError(
    'network',
    `${at} answered ${answer.status} with ${isJson(answer) ? 'JSON that cannot be used' : `${type} instead of JSON`}: ` +
      'that is not the service. Check the URL, and any proxy on the way.',
  );
}

/** Where a redirect leads, without what might be secret in it. */
function redirection(answer: Answer): string {
  const location = answer.headers.get('location');
  if (location === null) return '';
  try {
    const { origin, pathname } = new URL(location, 'relative://');
    return ` to ${origin === 'null' ? '' : origin}${pathname}`;
  } catch {
    return '';
  }
}

function isJson(answer: Answer): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(answer.headers.get('content-type') ?? '');
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function codeOf(value: unknown): ProblemCode | undefined {
  return typeof value === 'string' && Object.hasOwn(PROBLEMS, value) ? (value as ProblemCode) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function itemsOf(value: unknown): ProblemItem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const { pointer, detail, address } = item as Record<string, unknown>;
    if (typeof detail !== 'string') return [];
    return [
      {
        pointer: typeof pointer === 'string' ? pointer : '',
        detail,
        ...(typeof address === 'string' ? { address } : {}),
      },
    ];
  });
}

import type { ServerResponse } from 'node:http';

/** The answer of a route. `body` is absent if the status has none; its content may come in parts. */
export interface Reply {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: { type: string; content: string | Buffer | readonly Buffer[] };
}

export function json(status: number, value: unknown, headers?: Record<string, string>): Reply {
  return { status, body: { type: 'application/json', content: JSON.stringify(value) }, ...(headers && { headers }) };
}

/** The answer to a conditional GET: 304 if the caller has this version (RFC 9110 section 13.1.2). */
export async function versioned(
  ifNoneMatch: string | undefined,
  etag: string,
  make: () => Reply | Promise<Reply>,
): Promise<Reply> {
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, 'weak')) return { status: 304, headers };
  const reply = await make();
  return { ...reply, headers: { ...headers, ...reply.headers } };
}

/**
 * Whether a list of entity tags, or `*`, names this one (RFC 9110 section 8.8.3.2). The strong comparison, which
 * `If-Match` requires, accepts no weak tag.
 */
export function matches(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  return list.split(',').some((item) => {
    const tag = item.trim();
    return tag === etag || (comparison === 'weak' && tag.startsWith('W/') && tag.slice(2) === etag);
  });
}

/** The values between the quotes of the strong entity tags in a list. */
export function strongTags(list: string): string[] {
  return list.split(',').flatMap((item) => /^\s*"([^"]*)"\s*$/.exec(item)?.[1] ?? []);
}

/** Writes an answer. Node reads and discards the rest of a body that was not read. */
export function send(response: ServerResponse, reply: Reply): void {
  response.statusCode = reply.status;
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  for (const name in reply.headers) response.setHeader(name, reply.headers[name] ?? '');
  if (reply.body === undefined) {
    response.end();
    return;
  }
  const { type, content } = reply.body;
  const parts = typeof content === 'string' ? [Buffer.from(content)] : Buffer.isBuffer(content) ? [content] : content;
  response.setHeader('content-type', type);
  response.setHeader(
    'content-length',
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  // Node omits the body of an answer to HEAD.
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}

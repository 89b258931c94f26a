import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

/**
 * `fetch`, as much of it as the service's client uses, on Node's own HTTP client: loading and warming up the built-in
 * one costs each of Terraform's starts of the provider some 20 MiB and 20 ms. Redirects are not followed.
 */
export const leanFetch = ((url: string, init: RequestInit = {}): Promise<Response> => {
  const { method = 'GET', signal } = init;
  const form = init.body instanceof URLSearchParams;
  const body = init.body === undefined || init.body === null ? undefined : Buffer.from(String(init.body));
  const headers = {
    ...(init.headers as Record<string, string> | undefined),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
    ...(body !== undefined && { 'content-length': String(body.length) }),
  };
  const secure = new URL(url).protocol === 'https:';
  const options = { method, headers, ...(signal ? { signal } : {}) };
  return new Promise((resolve, reject) => {
    const sent = secure
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http });
    sent.on('response', (incoming) => resolve(asResponse(incoming)));
    sent.on('error', reject);
    sent.end(body);
  });
}) as typeof globalThis.fetch;

/** What the client reads of a response: its status, its headers by name, and its body in chunks. */
function asResponse(incoming: IncomingMessage): Response {
  const get = (name: string): string | null => {
    const value = incoming.headers[name.toLowerCase()];
    return value === undefined ? null : String(value);
  };
  const read = { status: incoming.statusCode ?? 0, headers: { get }, body: incoming };
  return read as unknown as Response;
}

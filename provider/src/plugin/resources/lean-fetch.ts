import type { Agent, IncomingMessage } from 'node:http';

type Http = typeof import('node:http') | typeof import('node:https');

/** Loaded by the first request: most of the processes that Terraform starts send none. */
const clients = new Map<string, Promise<{ http: Http; agent: Agent }>>();

function clientOf(protocol: string): Promise<{ http: Http; agent: Agent }> {
  let client = clients.get(protocol);
  if (client === undefined) {
    const loading: Promise<Http> = protocol === 'https:' ? import('node:https') : import('node:http');
    client = loading.then((http) => ({ http, agent: new http.Agent({ keepAlive: true }) }));
    clients.set(protocol, client);
  }
  return client;
}

/**
 * `fetch`, as much of it as the service's client uses, on Node's own HTTP client: loading and warming up the built-in
 * one costs each of Terraform's starts of the provider some 20 MiB and 20 ms. Redirects are not followed.
 */
export const leanFetch = (async (url: string, init: RequestInit = {}): Promise<Response> => {
  const { method = 'GET', signal } = init;
  const form = init.body instanceof URLSearchParams;
  const body = init.body === undefined || init.body === null ? undefined : Buffer.from(String(init.body));
  const headers = {
    ...(init.headers as Record<string, string> | undefined),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
    ...(body !== undefined && { 'content-length': String(body.length) }),
  };
  const { http, agent } = await clientOf(new URL(url).protocol);
  return await new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers, agent, ...(signal ? { signal } : {}) });
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

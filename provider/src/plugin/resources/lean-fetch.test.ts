import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leanFetch } from './lean-fetch.js';

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (incoming, answer) => {
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk);
    if (incoming.url === '/v1/silent') return;
    if (incoming.url === '/v1/reset') incoming.socket.destroy();
    const { method, headers } = incoming;
    const known = incoming.url === '/v1/known';
    answer.writeHead(known ? 304 : 200, {
      'content-type': 'application/json',
      'X-Request-ID': 'r-1',
      location: '/there',
    });
    answer.end(
      known
        ? ''
        : JSON.stringify({
            method,
            type: headers['content-type'],
            auth: headers.authorization,
            text: Buffer.concat(body).toString(),
          }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function both(path: string, init: RequestInit) {
  return Promise.all(
    [leanFetch, fetch].map(async (ask) => {
      const response = await ask(url + path, init);
      const chunks: Uint8Array[] = [];
      for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const { headers, status } = response;
      return {
        status,
        text,
        id: headers.get('x-request-id'),
        none: headers.get('retry-after'),
        at: headers.get('Location'),
      };
    }),
  );
}

describe('the provider’s own fetch', () => {
  it.each<[string, string, RequestInit]>([
    ['a GET with headers', '/v1/a', { headers: { authorization: 'Bearer x' } }],
    ['a POST of JSON', '/v1/a', { method: 'POST', body: '{"a":"é"}', headers: { 'content-type': 'application/json' } }],
    ['a POST of a form', '/v1/a', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) }],
    ['an answer without a body', '/v1/known', { redirect: 'manual' }],
  ])('gives what the built-in one gives: %s', async (_name, path, init) => {
    const [lean, full] = await both(path, init);
    expect(lean).toEqual(full);
  });

  it.each<[string, () => string, string]>([
    ['a refused connection', () => 'http://127.0.0.1:59998', 'the connection was refused'],
    ['an unknown host', () => 'http://nowhere.invalid', 'could not be'],
    ['a server without TLS', () => url.replace('http', 'https'), 'does not speak TLS: write http://'],
  ])('makes the client say the same of %s', async (_name, address, expected) => {
    const details = await Promise.all(
      [leanFetch, fetch].map((ask) =>
        new ServiceClient({ url: address(), fetch: ask, retries: 0 }).whoami().then(
          () => '',
          (error) => error.detail as string,
        ),
      ),
    );
    expect(details[0]).toBe(details[1]);
    expect(details[0]).toMatch(new RegExp(`${expected}|host name`));
  });

  it('rejects where the connection breaks, and ends with its signal', async () => {
    await expect(leanFetch(`${url}/v1/reset`)).rejects.toThrow('hang up');
    const ending = new AbortController();
    const silent = leanFetch(`${url}/v1/silent`, { signal: ending.signal });
    ending.abort();
    await expect(silent).rejects.toThrow('abort');
  });
});

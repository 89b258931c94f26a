import { getEventListeners, once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { packDelta } from '@authz-service/core/bundle/delta-write';
import { unpackBundleTo } from '@authz-service/core/bundle/read';
import { packBundle } from '@authz-service/core/bundle/write';
import { ProblemError } from '@authz-service/core/problem';
import { Secret } from '@authz-service/core/values/secret';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Spool } from '../cache/spool.js';
import { fetchBundle, type KnownBundle } from './cloud-source.js';
import type { FetchBounds, FetchOptions } from './fetching.js';

const MIB = 1024 * 1024;

const BOUNDS: FetchBounds = { compressed: 1 << 20, unpacked: 1 << 20, idleMs: 5_000, totalMs: 20_000 };
const REVISION = { revision: '1.0000000000000000', digest: '0'.repeat(64) };
const archive = await packBundle({ revision: 'r', tenants: [] });

let dir: string;
const spools: Spool[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fetch-'));
});

let server: Server | undefined;
afterEach(async () => {
  await Promise.all(spools.splice(0).map((spool) => spool.discard()));
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true, force: true });
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function cloud(listener: RequestListener): Promise<URL> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const problem =
  (status: number, body: object | string): RequestListener =>
  (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/problem+json; charset=utf-8' }).end(text);
  };

const fetchFrom = (
  cloudUrl: URL,
  {
    bounds,
    stop = new AbortController().signal,
    spool = async () => {
      const begun = await Spool.begin(join(dir, 'spool'));
      spools.push(begun);
      return begun;
    },
    ...known
  }: Partial<KnownBundle> & Partial<Omit<FetchOptions, 'bounds'>> & { bounds?: Partial<FetchBounds> } = {},
) =>
  fetchBundle({ cloudUrl, apiKey: new Secret('svc_key') }, known, {
    bounds: { ...BOUNDS, ...bounds },
    stop,
    spool,
    unpack: unpackBundleTo,
  });

describe('fetchBundle', () => {
  it('says that a whole bundle comes, and reads it after that', async () => {
    const url = await cloud((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/gzip' }).end(archive);
    });
    const order: string[] = [];
    const spool = async () => {
      await setTimeout(10);
      order.push('comes');
      const begun = await Spool.begin(join(dir, 'spool'));
      spools.push(begun);
      return begun;
    };
    const fetched = await fetchFrom(url, { spool });
    order.push(fetched.is);
    expect(order).toEqual(['comes', 'bundle']);
  });

  it('reads nothing of a whole bundle that is refused before', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await cloud((_request, response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'application/gzip' }).write(Buffer.alloc(64 * MIB));
    });
    const spool = () => Promise.reject(new ProblemError('payload_too_large', 'too often'));
    await expect(fetchFrom(url, { spool })).rejects.toThrow('too often');
    await closed;
  });

  it('asks with the credential below the path of the cloud URL, and unpacks the answer', async () => {
    const url = await cloud((request, response) => {
      expect(request.method).toBe('GET');
      expect(request.url).toBe('/base/v1/policies/bundle');
      expect(request.headers).toMatchObject({ authorization: 'Bearer svc_key', 'accept-encoding': 'identity' });
      expect(request.headers['if-none-match']).toBeUndefined();
      response.writeHead(200, { 'content-type': 'application/gzip', etag: '"e1"' }).end(archive);
    });
    const fetched = await fetchFrom(new URL('/base/', url));
    expect(fetched).toMatchObject({ is: 'bundle' });
    expect(
      fetched.is === 'bundle' && JSON.parse(fetched.bytes.subarray(0, fetched.bytes.length).toString()),
    ).toMatchObject({
      format: 1,
      tenants: [],
    });
  });

  it('takes 304 for an answer when it has said what it has', async () => {
    const url = await cloud((request, response) => {
      response.writeHead(request.headers['if-none-match'] === '"e1"' ? 304 : 500).end();
    });
    expect(await fetchFrom(url, { etag: '"e1"' })).toMatchObject({ is: 'same', holds: false });
  });

  it('asks for a delta only to what it has, and takes one only then', async () => {
    const asked: unknown[] = [];
    const delta = await packDelta({ tenant: { id: 't', name: 'acme' }, base: REVISION, ...REVISION }, []);
    const headers = { 'content-type': 'application/gzip', im: 'policy-delta', 'delta-base': '"e1"', etag: '"e2"' };
    const url = await cloud((request, response) => {
      asked.push(request.headers['a-im']);
      response.writeHead(226, headers).end(delta);
    });
    const fetched = await fetchFrom(url, { etag: '"e1"', delta: true });
    expect(fetched).toMatchObject({ is: 'delta', archive: { jws: undefined } });
    for (const options of [{ delta: true }, { etag: '"e1"' }])
      await expect(fetchFrom(url, options)).rejects.toMatchObject({
        code: 'network',
        detail: expect.stringMatching(/status 226/),
      });
    expect(asked).toEqual(['policy-delta', undefined, undefined]);
    delete (headers as { im?: string }).im;
    await expect(fetchFrom(url, { etag: '"e1"', delta: true })).rejects.toMatchObject({ code: 'network' });
  });

  it.each<[string, Buffer, RegExp]>([
    ['a bundle', archive, /bundle.json/],
    ['garbage', Buffer.alloc(5000, 'x'), /gzip/],
    ['what explodes', gzipSync(Buffer.alloc(64 * 1024 * 1024)), /unpacks to more|data after/],
  ])('gives the fault of a delta that is %s, which a whole bundle mends', async (_, body, detail) => {
    const url = await cloud((_, response) => response.writeHead(226, { im: 'policy-delta' }).end(body));
    const fetched = await fetchFrom(url, { etag: '"e1"', delta: true });
    expect(fetched).toMatchObject({
      is: 'delta',
      archive: { code: 'invalid_bundle', detail: expect.stringMatching(detail) },
    });
  });

  it.each<[string, RequestListener, string, RegExp]>([
    ['401', (_, response) => response.writeHead(401).end(), 'unauthorized', /check SERVICE_API_KEY/],
    ['403', (_, response) => response.writeHead(403).end(), 'forbidden', /scope "bundle"/],
    [
      '404',
      (_, response) => response.writeHead(404).end(),
      'network',
      /status 404, as no cloud does: check SERVICE_CLOUD_URL\./,
    ],
    ['429', (_, response) => response.writeHead(429).end(), 'network', /status 429\./],
    ['500', (_, response) => response.writeHead(500).end('oops'), 'network', /status 500\./],
    [
      'a problem document',
      problem(503, { detail: 'This replica has not heard of its database.' }),
      'network',
      /status 503\. It says: This replica has not heard of its database\.$/,
    ],
    [
      '401 with the reason',
      problem(401, { detail: 'The credential is off.' }),
      'unauthorized',
      /check SERVICE_API_KEY\. It says: The credential is off\.$/,
    ],
    ['a problem document without a detail', problem(503, { detail: 7 }), 'network', /status 503\.$/],
    ['a long problem document', problem(503, { detail: 'x'.repeat(20_000) }), 'network', /status 503\.$/],
    ['a damaged problem document', problem(503, '{'), 'network', /status 503\.$/],
    ['304 to no condition', (_, response) => response.writeHead(304).end(), 'network', /status 304\./],
    ['204', (_, response) => response.writeHead(204).end(), 'network', /status 204\./],
    [
      'HTML',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>'),
      'invalid_bundle',
      /text\/html.*check SERVICE_CLOUD_URL/,
    ],
    [
      'an archive under another type',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(archive),
      'invalid_bundle',
      /application\/json/,
    ],
    ['nothing', (_, response) => response.writeHead(200).end(), 'invalid_bundle', /archive/],
    ['garbage', (_, response) => response.writeHead(200).end(Buffer.alloc(5000, 'x')), 'invalid_bundle', /gzip/],
    [
      'half an archive',
      (_, response) => response.end(archive.subarray(0, -20)),
      'invalid_bundle',
      /incomplete or damaged/,
    ],
    ['gzip of no archive', (_, response) => response.end(gzipSync(Buffer.alloc(2000, 'x'))), 'invalid_bundle', /./],
    [
      'an exploding archive',
      (_, response) => response.end(gzipSync(Buffer.alloc(64 << 20))),
      'invalid_bundle',
      /more than 1048576 bytes/,
    ],
    [
      'an endless archive',
      (_, response) => {
        const piece = gzipSync(Buffer.from(Array.from({ length: 60_000 }, () => Math.random() * 256)));
        const more = () => {
          if (!response.destroyed) response.write(piece, () => setImmediate(more));
        };
        more();
      },
      'invalid_bundle',
      /./,
    ],
    [
      'a reset in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-length': archive.length });
        response.write(archive.subarray(0, 10), () => (response.socket as Socket).resetAndDestroy());
      },
      'network',
      /could not be asked/,
    ],
    [
      'an end before the announced length',
      (_, response) => {
        response.writeHead(200, { 'content-length': archive.length });
        response.write(archive.subarray(0, 10), () => response.socket?.end());
      },
      'network',
      /could not be asked/,
    ],
    ['a reset at once', (request) => request.socket.resetAndDestroy(), 'network', /could not be asked/],
  ])('refuses %s', async (_, listener, code, detail) => {
    const url = await cloud(listener);
    await expect(fetchFrom(url)).rejects.toMatchObject({ code, detail: expect.stringMatching(detail) });
  });

  it('does not follow a redirect with the credential', async () => {
    const asked: string[] = [];
    const url = await cloud((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(fetchFrom(url)).rejects.toMatchObject({
      detail: expect.stringContaining('redirects are not followed'),
    });
    expect(asked).toEqual(['/v1/policies/bundle']);
  });

  it('refuses a cloud that is not there', async () => {
    const url = await cloud(() => {});
    await new Promise((resolve) => server?.close(resolve));
    await expect(fetchFrom(url)).rejects.toMatchObject({
      code: 'network',
      detail: expect.stringMatching(/ECONNREFUSED.*: check SERVICE_CLOUD_URL and that the cloud runs there\.$/),
    });
  });

  it('keeps its connection while answers come whole, and not for ever', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const sockets: Socket[] = [];
    const whole: RequestListener = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/gzip' }).end(archive);
    const same: RequestListener = (_, response) => response.writeHead(304).end();
    const refused: RequestListener = (_, response) => response.writeHead(500).end('no');
    const half: RequestListener = (_, response) => response.writeHead(500, { 'content-length': 10 }).write('half');
    const answers = [whole, same, refused, same, half, whole, same];
    const url = await cloud((request, response) => {
      sockets.push(request.socket);
      answers.shift()?.(request, response);
    });
    const ask = () => fetchFrom(url, { etag: '"e1"' });
    await ask();
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: 'network' });
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: 'network' });
    random.mockReturnValue(0);
    await ask();
    await ask();
    random.mockRestore();
    expect(sockets.map((socket) => sockets.indexOf(socket))).toEqual([0, 0, 0, 3, 3, 5, 6]);
  });

  it('asks again over a new connection where the cloud ends the kept one as it is used', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const asked: Socket[] = [];
    const url = await cloud((request, response) => {
      const isReused = asked.includes(request.socket);
      asked.push(request.socket);
      if (isReused) request.socket.resetAndDestroy();
      else response.writeHead(304).end();
    });
    for (let count = 0; count < 3; count++)
      expect(await fetchFrom(url, { etag: '"e1"' })).toMatchObject({ is: 'same' });
    random.mockRestore();
    expect(asked.map((socket) => asked.indexOf(socket))).toEqual([0, 0, 2, 3]);
  });

  it('says so when the cloud speaks no TLS', async () => {
    const url = await cloud(() => {});
    await expect(fetchFrom(new URL(url.href.replace('http', 'https')))).rejects.toMatchObject({
      code: 'network',
      detail: expect.stringMatching(
        /asked: the server there does not speak TLS: write http:[^:]*https:\/\/ \(\w+\)\.$/,
      ),
    });
  });

  it.each<[string, RequestListener]>([
    ['before the headers', () => {}],
    ['in the middle of the body', (_, response) => response.write(archive.subarray(0, 10))],
  ])('gives up a cloud that falls silent %s', async (_, listener) => {
    const url = await cloud(listener);
    await expect(fetchFrom(url, { bounds: { idleMs: 50 } })).rejects.toMatchObject({
      code: 'timeout',
      detail: expect.stringContaining('was silent for 0.05 s'),
    });
  });

  it('gives up a cloud that is never silent and never done', async () => {
    const url = await cloud((_, response) => {
      const head = gzipSync(Buffer.alloc(100)).subarray(0, 10);
      response.write(head);
      const more = () => {
        // Empty stored blocks (RFC 1951 section 3.2.4) keep a gzip stream going without end.
        if (!response.destroyed)
          response.write(Buffer.from([0, 0, 0, 0xff, 0xff]), () => void setTimeout(5).then(more));
      };
      more();
    });
    await expect(fetchFrom(url, { bounds: { totalMs: 200 } })).rejects.toMatchObject({
      code: 'timeout',
      detail: expect.stringContaining('within 0.2 s'),
    });
  });

  it('ends when it is told to', async () => {
    const stop = new AbortController();
    const url = await cloud(() => stop.abort());
    await expect(fetchFrom(url, { stop: stop.signal })).rejects.toThrow();
    await expect(fetchFrom(url, { stop: stop.signal })).rejects.toThrow();
  });

  it('leaves nothing at the signal that outlives it', async () => {
    const { signal } = new AbortController();
    const url = await cloud((_, response) => response.writeHead(304).end());
    for (let count = 0; count < 5; count++) await fetchFrom(url, { etag: '"e1"', stop: signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    // Node keeps a set of derived signals under a private symbol.
    const fields = signal as unknown as Record<symbol, { size?: number } | undefined>;
    expect(Object.getOwnPropertySymbols(signal).filter((name) => (fields[name]?.size ?? 0) > 0)).toEqual([]);
  });

  it('never shows the credential in a fault', async () => {
    const url = await cloud((_, response) => response.writeHead(401).end());
    const fault = await fetchFrom(url).catch((error: Error) => `${error.stack} ${JSON.stringify(error)}`);
    expect(fault).not.toContain('svc_key');
  });
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientOptions, ServiceClient } from './client.js';

const QUESTION = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
};

const folder = mkdtempSync(join(tmpdir(), 'sdk-connection-'));
const [key, pem] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
let point: Server;
let port: number;
/** The targets of CONNECT, and the whole address of what came unencrypted. */
let asked: string[];
let proxy: Server;
let proxyUrl: string;

/** Makes a certificate for a name and for localhost. */
function certify(name: string, keyFile: string, certificate: string): void {
  const names = `subjectAltName=DNS:localhost,DNS:${name}`;
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-keyout', keyFile, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...algorithm, '-subj', `/CN=${name}`, '-addext', names, ...files], {
    stdio: 'ignore',
  });
}

beforeAll(async () => {
  // Only the proxy knows the way to this name.
  certify('pdp.test', key, pem);
  point = createTlsServer({ key: readFileSync(key), cert: readFileSync(pem) }, (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"decision":true}');
  });
  await once(point.listen(0, '127.0.0.1'), 'listening');
  port = (point.address() as AddressInfo).port;
  asked = [];
  proxy = createServer().on('connect', (request, socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']} ${request.headers.authorization}`);
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on('error', () => {});
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  proxyUrl = `http://app:pa%20ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const server of [point, proxy]) {
    server?.closeAllConnections();
    server?.close();
  }
  rmSync(folder, { recursive: true });
});

const client = (options: Partial<ClientOptions>) =>
  new ServiceClient({ url: `https://localhost:${port}`, retries: 0, ...options });

describe('a certificate authority of one’s own', () => {
  it.each([
    ['as a file', () => pem],
    ['as a text', () => readFileSync(pem, 'utf8')],
    ['among others', () => `${readFileSync(pem, 'utf8')}\n${readFileSync(pem, 'utf8')}`],
  ])('%s', async (_, ca) => {
    const asking = client({ ca: ca() });
    for (let turn = 0; turn < 3; turn += 1) expect(await asking.isAllowed(QUESTION)).toBe(true);
  });

  it('is needed', async () => {
    await expect(client({}).isAllowed(QUESTION)).rejects.toMatchObject({ code: 'network' });
  });

  it('is the only one', async () => {
    const other = join(folder, 'other.pem');
    certify('other.test', join(folder, 'other-key.pem'), other);
    await expect(client({ ca: other }).isAllowed(QUESTION)).rejects.toMatchObject({ code: 'network' });
  });

  it.each([
    ['a key', () => readFileSync(key, 'utf8'), 'holds no certificates'],
    [
      'an empty file',
      () => {
        writeFileSync(join(folder, 'empty.pem'), '');
        return join(folder, 'empty.pem');
      },
      'empty.pem',
    ],
  ])('is not %s, which no error repeats', (_, ca, text) => {
    expect(() => client({ ca: ca() })).toThrow(text);
    expect(() => client({ ca: ca() })).not.toThrow(/BEGIN/);
  });
});

it.each([
  ['certificates', { ca: 5 }, '"ca" is no text'],
  ['a header', { headers: { 'x-zone': undefined } }, 'The value of the header "x-zone"'],
])('takes no value of another type as %s', (_, options, detail) => {
  const make = () => client(options as unknown as Partial<ClientOptions>);
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_config', detail: expect.stringContaining(detail) }));
});

describe('a proxy', () => {
  it('opens a tunnel to what is encrypted, and sees neither question nor key', async () => {
    const asking = client({
      url: 'https://pdp.test:8443',
      ca: pem,
      proxy: proxyUrl,
      credentials: { apiKey: 'svc_test' },
    });
    const all = await Promise.all([1, 2, 3].map(() => asking.isAllowed(QUESTION)));
    expect(all).toEqual([true, true, true]);
    expect(await asking.isAllowed(QUESTION)).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(3);
    expect(new Set(asked)).toEqual(new Set([`pdp.test:8443 Basic ${btoa('app:pa ss')} undefined`]));
  });

  it('is not asked for another name than the certificate has', async () => {
    await expect(
      client({ url: 'https://other.test', ca: pem, proxy: proxyUrl }).isAllowed(QUESTION),
    ).rejects.toMatchObject({
      code: 'network',
    });
  });

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'pdp.localhost'])('is not asked for %s', (host) => {
    // Nobody else makes the connection: so the caller’s own way to send is no contradiction.
    expect(() =>
      client({ url: `http://${host}:8181`, proxy: proxyUrl, fetch: async () => Response.json({}) }),
    ).not.toThrow();
  });

  it.each([
    ['http://app:pa55%zz@proxy.test:3128', 'write "%25" for "%"'],
    ['http://app:pa55@proxy.test:3128/path', 'The proxy is no http address of a proxy'],
    [5, 'The proxy "5" is no http address of a proxy'],
    [null, 'The proxy "null" is no http address of a proxy'],
  ])('is refused as %s, and no error repeats its password', (given, detail) => {
    const make = () => client({ url: 'https://pdp.test', proxy: given as string });
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_config', detail: expect.stringContaining(detail) }));
    expect(make).not.toThrow(/pa55/);
  });

  it('and a fetch of the caller’s own contradict each other', () => {
    expect(() => client({ url: 'http://pdp.test', proxy: proxyUrl, fetch })).toThrow(
      'leave out the socket, "ca" and "proxy"',
    );
  });
});

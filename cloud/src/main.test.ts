import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsIn } from '../testing/records-in.js';
import { billing, TestCloud } from '../testing/test-cloud.js';
import { derive } from './auth/scrypt.js';
import { prepareCommit } from './commands/prepare-commit.js';
import { readConfig } from './config/config.js';
import { type RunningCloud, type StartOptions, startCloud } from './main.js';
import { openSqliteStore } from './store/sqlite.js';

let dir: string;
let running: RunningCloud[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authz-main-'));
});

afterEach(async () => {
  for (const cloud of running) await cloud.close();
  running = [];
  await rm(dir, { recursive: true, force: true });
});

/** A cloud with this configuration, and what it announced. */
const start = async (env: Record<string, string> = {}, listenAddr = '127.0.0.1:0', options: StartOptions = {}) => {
  const announced: string[] = [];
  const config = readConfig(env, { dataDir: dir, listenAddr, logLevel: 'silent' });
  const cloud = await startCloud(config, { announce: (said) => announced.push(said), ...options });
  running.push(cloud);
  return { cloud, announced };
};

const token = async (url: string, id: string, secret: string) => {
  const body = JSON.stringify({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, token: ((await response.json()) as { access_token?: string }).access_token };
};

describe('the first start', () => {
  it('answers nobody before its administrator is there', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    await once(free.close(), 'close');
    const given = { SERVICE_BOOTSTRAP_CLIENT_ID: 'first', SERVICE_BOOTSTRAP_CLIENT_SECRET: 'the first secret of all' };
    let early: ReturnType<typeof token> | undefined;
    const slowly: StartOptions['derive'] = async (...of) => {
      early ??= token(`http://127.0.0.1:${port}`, 'first', 'the first secret of all');
      // Long enough for an answer, if there were one.
      for (let turn = 0; turn < 50; turn++) {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        await once(socket.destroy(), 'close');
      }
      return await derive(...of);
    };
    await start(given, `127.0.0.1:${port}`, { derive: slowly });
    expect((await early)?.status).toBe(200);
  });

  it('makes an administrator and shows its secret, this once', async () => {
    const { cloud, announced } = await start();
    expect(announced).toHaveLength(1);
    const [, id = '', secret = ''] =
      /SERVICE_CLIENT_ID=(\S+)\n\s*SERVICE_CLIENT_SECRET=(\S+)/.exec(announced[0] ?? '') ?? [];
    expect((await token(cloud.url, id, secret)).status).toBe(200);
    await cloud.close();
    const again = await start();
    expect(again.announced).toEqual([]);
    expect((await token(again.cloud.url, id, secret)).status).toBe(200);
  });

  it('takes the administrator and the tenant it is given, and shows nothing', async () => {
    const env = {
      SERVICE_BOOTSTRAP_TENANT: 'acme',
      SERVICE_BOOTSTRAP_CLIENT_ID: 'me@example.com',
      SERVICE_BOOTSTRAP_CLIENT_SECRET: 'secret: /+%&=ü"\\',
    };
    const { cloud, announced } = await start(env);
    expect(announced).toEqual([]);
    const granted = await token(cloud.url, 'me@example.com', 'secret: /+%&=ü"\\');
    const whoami = await fetch(`${cloud.url}/v1/whoami`, { headers: { authorization: `Bearer ${granted.token}` } });
    expect(await whoami.json()).toMatchObject({
      tenant: { name: 'acme' },
      scopes: expect.arrayContaining(['operator', 'credentials', 'records:write']),
    });
  });

  it('is the only one that the given administrator counts for', async () => {
    const { cloud } = await start({
      SERVICE_BOOTSTRAP_CLIENT_ID: 'one',
      SERVICE_BOOTSTRAP_CLIENT_SECRET: 'a first secret indeed',
    });
    await cloud.close();
    const other = await start({
      SERVICE_BOOTSTRAP_CLIENT_ID: 'two',
      SERVICE_BOOTSTRAP_CLIENT_SECRET: 'a second secret indeed',
    });
    expect((await token(other.cloud.url, 'two', 'a second secret indeed')).status).toBe(401);
    expect((await token(other.cloud.url, 'one', 'a first secret indeed')).status).toBe(200);
  });
});

describe('a start without any operator', () => {
  const OLD = { SERVICE_BOOTSTRAP_CLIENT_ID: 'one', SERVICE_BOOTSTRAP_CLIENT_SECRET: 'a first secret indeed' };
  const NEW = { SERVICE_BOOTSTRAP_CLIENT_ID: 'two', SERVICE_BOOTSTRAP_CLIENT_SECRET: 'a second secret indeed' };

  beforeEach(async () => {
    const { cloud } = await start(OLD);
    await cloud.close();
    const store = await openSqliteStore(dir);
    const [tenant] = await store.tenants();
    const state = new TenantState(await recordsIn(store, tenant?.id ?? ''));
    const by = { kind: 'bootstrap', id: 'x', name: 'x' } as const;
    const changes = [{ op: 'delete', address: 'oauth_client/administrator' }] as const;
    const order = { changes: [...changes], by, requestId: 'x', now: Date.now() };
    const prepared = await prepareCommit({ id: tenant?.id ?? '', state, revisionNumber: 1, committedAt: 0 }, order);
    if (prepared) await store.commit(prepared.commit);
    await store.close();
  });

  it.each([
    ['the tenant there is', 'default'],
    ['a tenant yet to be made', 'another'],
  ])('makes the given client one, in %s', async (_, name) => {
    const { cloud } = await start({ ...NEW, SERVICE_BOOTSTRAP_TENANT: name });
    const granted = await token(cloud.url, 'two', 'a second secret indeed');
    const whoami = await fetch(`${cloud.url}/v1/whoami`, { headers: { authorization: `Bearer ${granted.token}` } });
    expect(await whoami.json()).toMatchObject({
      tenant: { name },
      credential: { name: 'administrator' },
      scopes: expect.arrayContaining(['operator', 'credentials', 'records:write']),
    });
    await cloud.close();
    const again = await start({ ...OLD, SERVICE_BOOTSTRAP_TENANT: name });
    expect((await token(again.cloud.url, 'one', 'a first secret indeed')).status).toBe(401);
    expect((await token(again.cloud.url, 'two', 'a second secret indeed')).status).toBe(200);
  });

  it('makes none that was not given', async () => {
    expect((await start()).announced).toEqual([]);
  });
});

describe('a start whose operators are lost', () => {
  const LOST = { SERVICE_BOOTSTRAP_CLIENT_ID: 'one', SERVICE_BOOTSTRAP_CLIENT_SECRET: 'a first secret indeed' };
  const NEW = { SERVICE_BOOTSTRAP_CLIENT_ID: 'two', SERVICE_BOOTSTRAP_CLIENT_SECRET: 'a second secret indeed' };
  const RECOVER = { ...NEW, SERVICE_BOOTSTRAP_RECOVER: 'true' };
  const granted = async (env: Record<string, string>) => {
    const { cloud } = await start(env);
    const { status } = await token(cloud.url, 'two', 'a second secret indeed');
    await cloud.close();
    return status === 200;
  };

  it('makes the given client one when it is asked to, beside them, and only once', async () => {
    expect(await granted(LOST)).toBe(false);
    expect(await granted(NEW)).toBe(false);
    expect(await granted(RECOVER)).toBe(true);
    expect(await granted(RECOVER)).toBe(true);
    const { cloud } = await start(LOST);
    const as = (await token(cloud.url, 'one', 'a first secret indeed')).token;
    const clients = await fetch(`${cloud.url}/v1/oauth-clients`, { headers: { authorization: `Bearer ${as}` } });
    const { items } = (await clients.json()) as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toEqual(['administrator', 'administrator-2']);
  });
});

describe('a start', () => {
  it('on a data directory in use is refused', async () => {
    await start();
    await expect(start()).rejects.toThrow(/Another process has the data directory/);
  });

  it('on an address in use is refused, leaves the data directory free, and spends no secret', async () => {
    const { cloud } = await start();
    const other = dir;
    dir = await mkdtemp(join(tmpdir(), 'authz-main-'));
    const taken = new URL(cloud.url).host;
    await expect(start({}, taken)).rejects.toThrow(`Cannot listen on ${taken} (EADDRINUSE)`);
    expect((await start()).announced).toHaveLength(1);
    await rm(other, { recursive: true, force: true });
  });

  it('puts the configured address into its metadata, whatever the Host header says', async () => {
    const { cloud } = await start({ SERVICE_PUBLIC_URL: 'https://authz.example.com/' });
    const response = await fetch(`${cloud.url}/.well-known/oauth-authorization-server`, { headers: { host: 'evil' } });
    expect(await response.json()).toMatchObject({
      issuer: 'https://authz.example.com',
      token_endpoint: 'https://authz.example.com/oauth/token',
    });
  });
});

describe('a stop', () => {
  it('lets a request under way end, and takes no more', async () => {
    const cloud = await TestCloud.start();
    const as = await cloud.token();
    const body = JSON.stringify({ changes: billing() });
    const headers = {
      authorization: `Bearer ${as}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    };
    const sent = request(`${cloud.url}/v1/changesets`, { method: 'POST', headers });
    sent.flushHeaders();
    // From here on the server has the request.
    await once(sent, 'continue');
    const answered = once(sent, 'response');
    const closed = cloud.close();
    await expect(fetch(`${cloud.url}/livez`)).rejects.toThrow();
    sent.end(body);
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(await text(response))).toMatchObject({ added: billing().length });
    await closed;
  });

  it('twice is one', async () => {
    const { cloud } = await start();
    await Promise.all([cloud.close(), cloud.close()]);
  });
});

describe('what is no HTTP request', () => {
  /** Returns what the server writes to a connection on which these bytes arrived, until it closes it. */
  const exchange = async (bytes: string): Promise<string> => {
    const { cloud } = await start();
    const { hostname, port } = new URL(cloud.url);
    const socket = connect(Number(port), hostname);
    socket.write(bytes);
    const answer = await text(socket);
    expect((await fetch(`${cloud.url}/livez`)).status).toBe(200);
    return answer;
  };

  it.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['a header over 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', 400],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('%s is told so, and the connection closed', async (_, bytes, status) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('Connection: close');
  });

  it.each([
    ['of a known length', 'Content-Length: 1000000000', 'x'.repeat(1 << 20)],
    ['in chunks', 'Transfer-Encoding: chunked', `100000\r\n${'x'.repeat(1 << 20)}\r\n`],
  ])('a body without end, %s, is answered with 413', async (_, header, piece) => {
    const { cloud } = await start();
    const { hostname, port } = new URL(cloud.url);
    const socket = connect(Number(port), hostname);
    const answer = text(socket);
    socket.write(`POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`);
    const more = (error?: Error | null) => {
      if (!error && socket.writable) socket.write(piece, more);
    };
    more();
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(await answer).toMatch(/Connection: close/i);
  });

  it('a body that breaks off is no fault of the server', async () => {
    const { cloud } = await start();
    const { hostname, port } = new URL(cloud.url);
    const socket = connect(Number(port), hostname);
    socket.end('POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ngrant');
    await text(socket);
    const metrics = await (await fetch(`${cloud.url}/metrics`)).text();
    expect(metrics).not.toMatch(/status="5\d\d"/);
  });
});

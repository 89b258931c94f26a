import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

let dir: string;
let started: CloudProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cloud-process-'));
});

afterEach(async () => {
  for (const cloud of started) await cloud.kill();
  started = [];
  rmSync(dir, { recursive: true, force: true });
});

const start = (env?: Record<string, string>): CloudProcess => {
  const cloud = new CloudProcess(dir, env);
  started.push(cloud);
  return cloud;
};

describe('servicectl cloud start', () => {
  it('goes on after SIGHUP, and opens no debugger on SIGUSR1', async () => {
    const cloud = start();
    const url = await cloud.url();
    for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
      cloud.signal(signal);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    cloud.signal('SIGTERM');
    expect(await cloud.exited).toEqual({ code: 0, signal: null });
    const said = cloud.stderr.join('\n');
    expect(said).not.toMatch(/Debugger|"route":"\/readyz"/);
  });

  it('prints one line of JSON when it is ready, and ends with 0 on SIGTERM', async () => {
    const cloud = start();
    const url = await cloud.url();
    expect(cloud.stdout).toEqual([JSON.stringify({ url })]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    cloud.signal('SIGTERM');
    expect(await cloud.exited).toEqual({ code: 0, signal: null });
    expect(cloud.stdout).toHaveLength(1);
  });

  it('is refused beside another on the same data directory', async () => {
    await start().url();
    const second = start();
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.stderr.join('\n')).toContain('Another process has the data directory');
    expect(second.stdout).toEqual([]);
  });

  it('shows a secret that it made on standard error, outside the log and only once', async () => {
    const first = start({});
    await first.url();
    const shown = first.stderr.find((line) => line.includes('SERVICE_CLIENT_SECRET='));
    expect(shown).toBeDefined();
    const secret = shown?.split('=')[1] ?? '';
    expect(first.stderr.filter((line) => line.includes(secret))).toHaveLength(1);
    first.signal('SIGTERM');
    await first.exited;
    const second = start({});
    await second.url();
    expect(second.stderr.join('\n')).not.toContain('SERVICE_CLIENT_SECRET');
  });

  it.each([
    ['another secret', { ...bootstrapEnv(), SERVICE_BOOTSTRAP_CLIENT_SECRET: 'another secret than before' }, true],
    ['another administrator', { ...bootstrapEnv(), SERVICE_BOOTSTRAP_CLIENT_ID: 'somebody' }, true],
    ['the same one', bootstrapEnv(), false],
    ['none', {}, false],
  ])('says on a folder that has an administrator that %s is ignored, if it is', async (_, env, said) => {
    const first = start();
    await first.url();
    first.signal('SIGTERM');
    await first.exited;
    const second = start(env);
    await second.url();
    second.signal('SIGTERM');
    // Only then has all been read of what it wrote.
    await second.exited;
    const log = second.stderr.join('\n');
    expect(log.includes('are ignored: the database has another administrator')).toBe(said);
    expect(log).not.toContain('another secret than before');
  });

  it('logs a line for every request, for decisions where it is told to, and no secret', async () => {
    const cloud = start({ ...bootstrapEnv(), SERVICE_DECISION_LOG: 'true' });
    const client = await cloud.client();
    const key = await client.records('api_key').create({ name: 'k', scopes: ['decisions'] }, { requestId: 'make-key' });
    const url = await cloud.url();
    const headers = {
      authorization: `Bearer ${key.secret}`,
      'x-request-id': 'ask-it',
      'content-type': 'application/json',
    };
    const asked = await fetch(`${url}/v1/authorize?token=in-the-query`, {
      method: 'POST',
      headers,
      body: '{"mine":"personal"}',
    });
    expect(asked.status).toBe(400);
    await fetch(`${url}/v1/state`, { headers: { authorization: 'Bearer svc_wrong', 'x-request-id': 'refused' } });
    const { tenant } = await client.whoami();
    cloud.signal('SIGTERM');
    await cloud.exited;

    const lines = cloud.stderr.map((line) => JSON.parse(line));
    const lineOf = (id: string) => lines.filter(({ request_id }) => request_id === id);
    const common = { level: 'INFO', msg: 'request', ms: expect.any(Number), time: expect.stringMatching(/Z$/) };
    const known = { tenant: tenant.id };
    expect(lineOf('make-key')).toMatchObject([
      { ...common, ...known, method: 'POST', route: '/v1/api-keys', status: 201 },
    ]);
    expect(lineOf('ask-it')).toMatchObject([
      { ...common, ...known, route: '/v1/authorize', status: 400, credential: key.id },
    ]);
    expect(lineOf('refused')).toMatchObject([
      { level: 'WARN', msg: 'credential refused', address: '127.0.0.1' },
      { ...common, route: '/v1/state', status: 401 },
    ]);
    const text = cloud.stderr.join('\n');
    for (const secret of [key.secret, 'svc_', 'Bearer', 'the secret of', 'in-the-query', 'personal']) {
      expect(text).not.toContain(secret);
    }
  });

  it('logs log-ins that fail, with client id and address, and no secret', async () => {
    const cloud = start({ ...bootstrapEnv(), SERVICE_TRUSTED_PROXIES: '127.0.0.1' });
    const logIn = async (id: string, secret: string) => {
      const client = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
      const headers = { 'x-forwarded-for': '198.51.100.7' };
      await fetch(`${await cloud.url()}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(client) });
    };
    const { clientId, clientSecret } = ADMINISTRATOR;
    const generated = 'G'.repeat(43);
    await logIn(clientId, 'guessed by somebody');
    await logIn('nobody', 'guessed by somebody');
    await logIn(generated, clientId);
    await logIn(clientId, clientSecret);
    cloud.signal('SIGTERM');
    await cloud.exited;

    const failed = { level: 'WARN', address: '198.51.100.7', reason: 'invalid_client', request_id: expect.any(String) };
    expect(cloud.stderr.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'log-in refused')).toMatchObject([
      { ...failed, client_id: clientId },
      { ...failed, client_id: 'nobody' },
      { ...failed, client_id: '[redacted]' },
    ]);
    const text = cloud.stderr.join('\n');
    for (const secret of ['guessed', generated, clientSecret]) expect(text).not.toContain(secret);
  });

  it('lists all faults of its configuration, and ends with 1', async () => {
    const cloud = start({ SERVICE_LOG_LEVEL: 'loud', SERVICE_PUBLIC_URL: 'nowhere' });
    expect(await cloud.exited).toEqual({ code: 1, signal: null });
    const text = cloud.stderr.join('\n');
    expect(text).toContain('SERVICE_LOG_LEVEL');
    expect(text).toContain('SERVICE_PUBLIC_URL');
  });
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../../cloud/testing/postgres-server.js';
import { finished, PROGRAM } from '../cli/workbench.js';
import { bootstrapEnv, CloudProcess } from '../cloud/cloud-process.js';

describe.skipIf(!hasPostgres)('replicas whose database was taken over by a standby that lacks commits', () => {
  let dir: string;
  let server: PostgresServer;
  const clouds: CloudProcess[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'failover-'));
  });
  afterEach(async () => {
    for (const cloud of clouds.splice(0)) await cloud.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  /** While nobody is connected to the database. */
  async function alone(name: string, ...statements: string[]): Promise<void> {
    await server.admin(`alter database ${name} allow_connections false`);
    await server.admin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await vi.waitFor(
      async () =>
        expect(await server.admin(`select 1 from pg_stat_activity where datname = '${name}'`)).toHaveLength(0),
      { timeout: 20_000 },
    );
    for (const statement of statements) await server.admin(statement);
  }

  async function service(env: Record<string, string>, ...args: string[]) {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], {
      env: { PATH: process.env.PATH, HOME: dir, ...env },
    });
    const { code, stdout, stderr } = await finished(child);
    if (code !== 0) throw new Error(`servicectl ${args.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  const patiently = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
  const whoami = (url: string, apiKey: string) =>
    new ServiceClient({ url, credentials: { apiKey }, retries: 0 }).whoami().then(
      () => 'known',
      ({ code }: { code: string }) => code,
    );

  it('say what is the matter, and follow by themselves once an epoch is declared', async () => {
    const database = await server.database();
    const env = { DATABASE_URL: database };
    const name = new URL(database).pathname.slice(1);
    for (const folder of ['one', 'two'])
      clouds.push(new CloudProcess(join(dir, folder), { ...bootstrapEnv(), ...env }));
    const urls = await Promise.all(clouds.map((cloud) => cloud.url()));
    const admin = await (clouds[0] as CloudProcess).client();
    const { secret: kept } = await admin.records('api_key').create({ name: 'kept', scopes: ['records:read'] });
    await alone(
      name,
      `create database ${name}_standby template ${name}`,
      `alter database ${name} allow_connections true`,
    );
    const late = await patiently(async () =>
      String((await admin.records('api_key').create({ name: 'late', scopes: ['records:read'] })).secret),
    );
    for (const url of urls) await patiently(async () => expect(await whoami(url, late)).toBe('known'));

    await alone(
      name,
      `alter database ${name} rename to ${name}_lost`,
      `alter database ${name}_standby rename to ${name}`,
    );
    const ready = async (url: string) => (await fetch(`${url}/readyz`)).json();
    const reason = expect.stringMatching(/lacks commits: it is at revision 2 .* has seen 3\. .*declare-epoch/);
    for (const [index, url] of urls.entries()) {
      await patiently(async () =>
        expect(await ready(url)).toMatchObject({ status: 'cut_off', set_back: true, reason }),
      );
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^service_cloud_set_back 1$/m);
      const said = clouds[index]?.stderr.concat(clouds[index].stdout).filter((line) => line.includes('was set back'));
      expect(said).toHaveLength(1);
    }

    const key = join(dir, 'epoch.key');
    await service({}, 'cloud', 'make-epoch-key', key);
    await service(env, 'cloud', 'declare-epoch', '--epoch-key', key);
    for (const url of urls) {
      await patiently(async () => expect(await ready(url)).toEqual({ status: 'ready', writable: true }));
      expect(await whoami(url, late)).toBe('unauthorized');
      expect(await whoami(url, String(kept))).toBe('known');
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^service_cloud_set_back 0$/m);
    }
    await admin.records('role').create({ name: 'after' });
    for (const url of urls) {
      const client = new ServiceClient({ url, credentials: { apiKey: String(kept) }, retries: 0 });
      await patiently(async () => expect((await client.records('role').get('after')).name).toBe('after'));
    }
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { changeDatabase } from '../../../cloud/testing/change-database.js';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { finished, PROGRAM } from './cli/workbench.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const OFF = /off since .* restored from a backup: an operator turns it on with servicectl credentials enable/;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cloud-restore-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs `servicectl …`; what it says as JSON, its text for people, and its exit code. */
async function service(env: Record<string, string>, ...args: string[]) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], { env: { PATH, HOME: dir, ...env } });
  const { code, stdout, stderr } = await finished(child);
  return { code, stderr, json: JSON.parse(stdout) };
}

/** Lists the names below a folder that a process may change meanwhile: none if one of its folders goes while it is read. */
function namesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true }).map(String);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** As the operator of a cloud. */
const operator = (url: string) => ({
  SERVICE_CLOUD_URL: url,
  SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
  SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
});
const refusalOf = (url: string, apiKey: string) =>
  new ServiceClient({ url, credentials: { apiKey }, retries: 0 }).whoami().then(
    () => undefined,
    (error: { code: string; detail: string }) => `${error.code}: ${error.detail}`,
  );

describe('a restored cloud', () => {
  let cloud: CloudProcess;
  afterEach(() => cloud.kill());

  it('lets nobody in but its operator, who turns on what is good, and keeps who did', async () => {
    const data = ['--data-dir', join(dir, 'cloud')];
    const backup = join(dir, 'backup');
    cloud = new CloudProcess(join(dir, 'cloud'));
    const admin = await cloud.client();
    const make = async (name: string) =>
      String((await admin.records('api_key').create({ name, scopes: ['records:read'] })).secret);
    const [good, revoked] = [await make('good'), await make('revoked')];
    const app = await admin.records('oauth_client').create({ name: 'app', scopes: ['decisions'] });
    const tenant = await admin.tenants.create({ name: 'acme' });
    await service({}, 'cloud', 'backup', backup, ...data);
    await admin.records('api_key').delete('revoked');
    cloud.signal('SIGTERM');
    await cloud.exited;

    expect((await service({}, 'cloud', 'restore', backup, ...data, '--replace')).code).toBe(0);
    cloud = new CloudProcess(join(dir, 'cloud'));
    const url = await cloud.url();
    for (const key of [good, revoked]) expect(await refusalOf(url, key)).toMatch(OFF);
    const clients = [
      { clientId: String(app.id), clientSecret: String(app.client_secret) },
      { clientId: tenant.client_id, clientSecret: tenant.client_secret },
    ];
    for (const credentials of clients)
      await expect(new ServiceClient({ url, credentials }).whoami()).rejects.toMatchObject({
        code: 'invalid_client',
        detail: expect.stringMatching(OFF),
      });

    const off = await service(operator(url), 'credentials', 'disabled');
    expect(off.json.items.map((one: { tenant: string; address: string }) => `${one.tenant} ${one.address}`)).toEqual([
      'acme oauth_client/administrator',
      'default api_key/good',
      'default api_key/revoked',
      'default oauth_client/app',
    ]);
    const enable = (...args: string[]) => service(operator(url), 'credentials', 'enable', ...args);
    expect((await enable('api_key/good')).json).toEqual({
      enabled: [{ tenant: 'default', credential: 'api_key/good' }],
    });
    expect(await refusalOf(url, good)).toBeUndefined();
    expect(await refusalOf(url, revoked)).toMatch(OFF);
    expect((await enable('api_key/good')).code).toBe(1);
    expect((await enable()).code).toBe(1);
    const again = await cloud.client();
    const { secret } = await again.records('api_key').create({ name: 'new', scopes: ['records:read'] });
    expect(await refusalOf(url, String(secret))).toBeUndefined();
    await again.records('api_key').delete('revoked');
    expect((await enable('--all')).json.enabled).toHaveLength(2);
    for (const credentials of clients) await new ServiceClient({ url, credentials }).whoami();
    const events = (await service(operator(url), 'audit', '--tenants')).json.items;
    const switched = events.filter(({ op }: { op: string }) => op === 'disable' || op === 'enable');
    expect(
      switched.map(
        (event: { op: string; tenant: { name: string }; credential: { name: string }; credentials: string[] }) => [
          event.op,
          event.tenant.name,
          event.credential.name,
          event.credentials,
        ],
      ),
    ).toEqual([
      ['enable', 'default', 'administrator', ['oauth_client/app']],
      ['enable', 'acme', 'administrator', ['oauth_client/administrator']],
      ['enable', 'default', 'administrator', ['api_key/good']],
      ['disable', 'default', 'restore', ['api_key/good', 'api_key/revoked', 'oauth_client/app', 'sign-in']],
      ['disable', 'acme', 'restore', ['oauth_client/administrator', 'sign-in']],
    ]);
    cloud.signal('SIGTERM');
    await cloud.exited;
    cloud = new CloudProcess(join(dir, 'cloud'));
    expect(await refusalOf(await cloud.url(), good)).toBeUndefined();
  });

  it.each([
    ['has made its folder', (names: string[]) => names.some((name) => name.startsWith('.unfinished-restore-'))],
    ['has copied the backup', (names: string[]) => names.some((name) => /^restore-\w{6}.cloud\.sqlite$/.test(name))],
    ['has copied what it replaces', (names: string[]) => names.some((name) => name.endsWith('present.sqlite'))],
    ['keeps what it replaces', (names: string[]) => names.some((name) => name.includes('.before-restore-'))],
  ])(
    'is there as before or as restored where the restore is killed once it %s, and leaves nothing',
    async (_, reached) => {
      const folder = join(dir, 'cloud');
      const data = ['--data-dir', folder];
      const backup = join(dir, 'backup');
      cloud = new CloudProcess(folder);
      await cloud.url();
      await service({}, 'cloud', 'backup', backup, ...data);
      const admin = await cloud.client();
      await admin.records('role').create({ name: 'since' });
      cloud.signal('SIGTERM');
      await cloud.exited;

      const args = [PROGRAM, 'cloud', 'restore', backup, ...data, '--replace'];
      const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, HOME: dir }, stdio: 'ignore' });
      const gone = once(child, 'exit');
      const names = () => namesBelow(folder);
      while (child.exitCode === null && !reached(names())) await nextTurn();
      child.kill('SIGKILL');
      await gone;

      const before = names();
      cloud = new CloudProcess(folder);
      const { records } = await (await cloud.client()).state();
      const roles = records.filter(({ kind }) => kind === 'role').length;
      const kept = names().filter((name) => name.includes('.before-restore-'));
      expect(names().filter((name) => name.startsWith('.unfinished-restore-'))).toEqual([]);
      expect([roles, kept.length]).toEqual(kept.length === 0 ? [1, 0] : [0, 1]);
      const left = before.some((name) => name.startsWith('.unfinished-restore-'));
      expect(/what an unfinished restore left was removed/.test(cloud.stderr.join('\n'))).toBe(left);
    },
  );

  it('is proven to be as it was written, and so is its backup; what somebody changed is found', async () => {
    const data = ['--data-dir', join(dir, 'cloud')];
    const backup = join(dir, 'backup');
    cloud = new CloudProcess(join(dir, 'cloud'));
    const admin = await cloud.client();
    for (let turn = 0; turn < 5; turn++)
      await admin.changeset({
        changes: [
          { op: 'create', kind: 'role', fields: { name: `role-${turn}` } },
          ...(turn > 0 ? [{ op: 'delete', address: `role/role-${turn - 1}` } as const] : []),
        ],
      });
    await admin.rotateBundleKeys();
    const { revision } = await admin.state();
    const running = await service({}, 'cloud', 'verify', ...data);
    expect(running).toMatchObject({ code: 0, json: { keys: 2, faults: [] } });
    expect(running.json.tenants).toEqual([
      {
        name: 'default',
        revision,
        records: expect.any(Number),
        revisions: 5,
        since: expect.stringMatching(/^1\./),
        off: 0,
      },
    ]);
    await service({}, 'cloud', 'backup', backup, ...data);
    expect((await service({}, 'cloud', 'verify', backup)).code).toBe(0);

    const changed = async (sql: string, fault: RegExp) => {
      const copy = join(dir, 'changed');
      await service({}, 'cloud', 'backup', copy, ...data, '--replace');
      await changeDatabase(copy, sql);
      const found = await service({}, 'cloud', 'verify', copy);
      expect([found.code, found.json.faults.join(' ')]).toEqual([1, expect.stringMatching(fault)]);
    };
    await changed(
      `update records set fields = '{"name":"other"}' where address = 'role/role-4'`,
      /its records are those of/,
    );
    await changed('update secrets set operator = 0', /not its credentials/);
    await changed(
      `update record_versions set fields = '{"name":"was"}' where address = 'role/role-2'`,
      /does not lead back/,
    );
    await changed(
      "update bundle_keys set announcement = replace(announcement, '.', 'x.') where version = (select max(version) from bundle_keys)",
      /keys that sign bundles/,
    );
    await changed('delete from revisions where number = 3', /does not lead back|no commit|revision/);
    expect((await service({}, 'cloud', 'verify', join(dir, 'cloud'))).code).toBe(0);
    const folder = await service({}, 'cloud', 'restore', join(dir, 'cloud'), '--data-dir', join(dir, 'other'));
    expect(folder.json.error.detail).toContain('is a folder: name a file that "servicectl cloud backup" wrote');
    const missing = await service({}, 'cloud', 'verify', join(dir, 'nothing'));
    expect(missing.code).toBe(1);
  });
});

describe.skipIf(!hasPostgres)('a PostgreSQL database that was set back', () => {
  let server: PostgresServer;
  const started: CloudProcess[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    for (const process of started.splice(0)) await process.kill();
  });

  it('has its credentials turned off by one command, on all replicas, and on again by an operator', async () => {
    const env = { DATABASE_URL: await server.database() };
    const start = () => {
      const process = new CloudProcess(dir, { ...bootstrapEnv(), ...env });
      started.push(process);
      return process;
    };
    const [one, two] = [start(), start()];
    const urls = [await one.url(), await two.url()];
    const admin = await one.client();
    const key = String((await admin.records('api_key').create({ name: 'k', scopes: ['records:read'] })).secret);
    const patiently = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });
    for (const url of urls) await patiently(async () => expect(await refusalOf(url, key)).toBeUndefined());

    expect((await service(env, 'cloud', 'disable-credentials')).json).toEqual({ disabled: 1 });
    for (const url of urls) await patiently(async () => expect(await refusalOf(url, key)).toMatch(OFF));
    const verified = await service(env, 'cloud', 'verify');
    expect(verified.json).toMatchObject({ tenants: [{ name: 'default', off: 1 }], faults: [] });
    expect(verified.code).toBe(0);

    await service(operator(urls[1] ?? ''), 'credentials', 'enable', '--all');
    for (const url of urls) await patiently(async () => expect(await refusalOf(url, key)).toBeUndefined());
  });
});

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../../cloud/testing/postgres-server.js';
import { finished, PROGRAM } from '../cli/workbench.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from '../cloud/cloud-process.js';

type Env = Record<string, string>;

let dir: string;
const clouds: CloudProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'revocation-log-'));
  writeFileSync(join(dir, 'log.key'), `${'k'.repeat(40)}\n`);
});
afterEach(async () => {
  for (const cloud of clouds.splice(0)) await cloud.kill();
  rmSync(dir, { recursive: true, force: true });
});

async function service(env: Env, ...args: string[]) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], { env: { PATH, HOME: dir, ...env } });
  const { code, stdout, stderr } = await finished(child);
  return { code, stderr, json: JSON.parse(stdout) };
}

/** A cloud on this database, or in this folder, that keeps the log of this name. */
function start(env: Env, log?: string, folder = 'cloud'): CloudProcess {
  const logged: Env =
    log === undefined
      ? {}
      : { SERVICE_REVOCATION_LOG: join(dir, log), SERVICE_REVOCATION_LOG_KEY_FILE: join(dir, 'log.key') };
  const cloud = new CloudProcess(join(dir, folder), { ...bootstrapEnv(), ...env, ...logged });
  clouds.push(cloud);
  return cloud;
}

async function end(...ended: CloudProcess[]): Promise<void> {
  for (const cloud of ended) cloud.signal('SIGTERM');
  for (const cloud of ended) await cloud.exited;
}

const KEYS = ['good', 'revoked', 'narrowed', 'operator', 'elsewhere'];

/** The secrets of new keys, by their names. */
async function makeKeys(cloud: CloudProcess): Promise<Map<string, string>> {
  const admin = await cloud.client();
  const keys = new Map<string, string>();
  for (const name of KEYS) {
    const made = { name, scopes: ['records:read', 'decisions'] as never, operator: name === 'operator' };
    keys.set(name, String((await admin.records('api_key').create(made)).secret));
  }
  return keys;
}

/** Which of the keys work. */
async function working(cloud: CloudProcess, keys: ReadonlyMap<string, string>): Promise<string[]> {
  const url = await cloud.url();
  const works: string[] = [];
  for (const [name, apiKey] of keys) {
    const answer = await new ServiceClient({ url, credentials: { apiKey }, retries: 0 }).whoami().then(
      () => true,
      (error: { code: string }) => {
        expect(error.code).toBe('unauthorized');
        return false;
      },
    );
    if (answer) works.push(name);
  }
  return works;
}

const asClient = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Env => ({
  SERVICE_CLIENT_ID: clientId,
  SERVICE_CLIENT_SECRET: clientSecret,
});

const byLog = (...logs: string[]) => [
  ...logs.flatMap((log) => ['--revocation-log', join(dir, log)]),
  '--revocation-log-key',
  join(dir, 'log.key'),
];

describe('a restore by the revocation log', () => {
  it('turns on exactly what was good when the cloud was lost, on SQLite', async () => {
    const data = ['--data-dir', join(dir, 'cloud')];
    const backup = join(dir, 'backup');
    const cloud = start({}, 'log');
    const keys = await makeKeys(cloud);
    const admin = await cloud.client();
    const acme = await admin.tenants.create({ name: 'acme' });
    await admin.tenants.create({ name: 'removed' });
    const theirs = new ServiceClient({
      url: await cloud.url(),
      credentials: { clientId: acme.client_id, clientSecret: acme.client_secret },
      retries: 0,
    });
    await theirs.records('api_key').create({ name: 'stray', scopes: ['decisions'] });
    expect((await service({}, 'cloud', 'backup', backup, ...data)).code).toBe(0);
    const short = readFileSync(join(dir, 'log'), 'utf8').split('\n');
    await admin.tenants.delete('removed');
    await admin.records('api_key').delete('elsewhere');
    await admin.records('api_key').delete('operator');
    await admin.records('api_key').update('narrowed', { scopes: ['decisions'] });
    await theirs.records('api_key').delete('stray');
    await admin.records('api_key').delete('revoked');
    // The last of these was acknowledged, so that it counts.
    await cloud.kill();

    const restore = (folder: string, ...by: string[]) =>
      service({}, 'cloud', 'restore', backup, '--data-dir', join(dir, folder), ...by);
    const refused = async (said: RegExp, ...by: string[]) => {
      const done = await restore('second', ...by);
      expect([done.code === 0, JSON.stringify(done.json)]).toEqual([false, expect.stringMatching(said)]);
    };
    await refused(/--revocation-log-key/, '--revocation-log', join(dir, 'log'));
    writeFileSync(join(dir, 'edited'), readFileSync(join(dir, 'log'), 'utf8').replace('"ended":["', '"ended":["x'));
    await refused(/edited:\d+ is not as the cloud wrote it/, ...byLog('edited'));
    writeFileSync(
      join(dir, 'cut'),
      short
        .slice(0, 3)
        .map((line) => `${line}\n`)
        .join(''),
    );
    await refused(/does not reach over the time of the backup/, ...byLog('cut'));

    const done = await restore('second', ...byLog('log'));
    expect(done.stderr).toMatch(/3 credentials that the revocation log says were good are on\. It ends at 20/);
    expect(done.json).toMatchObject({ enabled: 3, log_ends_at: expect.any(String) });
    const off = done.json.credentials.filter((one: { off: boolean }) => one.off);
    expect(off.map((one: { tenant: string; name: string }) => `${one.tenant} ${one.name}`).sort()).toEqual([
      'acme stray',
      'default elsewhere',
      'default narrowed',
      'default operator',
      'default revoked',
      'removed administrator',
    ]);
    const again = start({}, 'log', 'second');
    expect(await working(again, keys)).toEqual(['good']);
    const url = await again.url();
    const credentials = { clientId: acme.client_id, clientSecret: acme.client_secret };
    const owner = new ServiceClient({ url, credentials, retries: 0 });
    // An operator deletes what is off in other tenants.
    const { clientId } = ADMINISTRATOR;
    const env = { SERVICE_CLOUD_URL: url, ...asClient(ADMINISTRATOR) };
    const remove = (...args: string[]) => service(env, 'credentials', 'delete', ...args, '--yes');
    expect((await remove('api_key/stray', '--tenant', 'acme')).json).toMatchObject({ deleted: ['api_key/stray'] });
    const [row] = (await service({ ...env, ...asClient(credentials) }, 'audit')).json.items;
    expect(row).toMatchObject({ credential: { id: clientId }, changes: [{ op: 'delete', address: 'api_key/stray' }] });
    expect((await owner.state()).tenant).toBe('acme');
    for (const args of [
      ['api_key/stray', '--tenant', 'acme'],
      ['oauth_client/administrator', '--tenant', 'acme'],
      ['oauth_client/administrator', '--tenant', 'removed'],
      ['api_key/stray', '--tenant', 'nobody'],
    ])
      expect((await remove(...args)).code).not.toBe(0);
    expect((await remove('api_key/revoked', 'api_key/operator')).code).toBe(0);
    const left = (await service(env, 'credentials', 'disabled')).json.items;
    expect(left.map((one: { tenant: string; address: string }) => `${one.tenant} ${one.address}`)).toEqual([
      'default api_key/elsewhere',
      'default api_key/narrowed',
      'removed oauth_client/administrator',
    ]);
    // What is turned on or made from now on is in the log, too.
    const operator = await again.client();
    await operator.tenants.enableCredentials('default', { credentials: ['api_key/elsewhere'] });
    const made = await operator.records('api_key').create({ name: 'made', scopes: ['decisions'] });
    const second = ['--data-dir', join(dir, 'second')];
    expect((await service({}, 'cloud', 'backup', backup, ...second, '--replace')).code).toBe(0);
    await again.kill();
    expect((await restore('third', ...byLog('log'))).json).toMatchObject({ enabled: 5 });
    const last = start({}, undefined, 'third');
    expect(await working(last, new Map([...keys, ['made', String(made.secret)]]))).toEqual([
      'good',
      'elsewhere',
      'made',
    ]);
  }, 300_000);

  describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server.stop());

    it('takes the logs of all replicas', async () => {
      const url = await server.database();
      const first = start({ DATABASE_URL: url }, 'log-0');
      const keys = await makeKeys(first);
      await end(first);
      const restored = { DATABASE_URL: await server.database(`template ${new URL(url).pathname.slice(1)}`) };
      const replicas = ['log-1', 'log-2'].map((log) => start({ DATABASE_URL: url }, log));
      const [one, two] = await Promise.all(replicas.map((replica) => replica.client()));
      await one?.records('api_key').delete('revoked');
      await two?.records('api_key').delete('operator');
      await one?.records('api_key').update('narrowed', { scopes: ['decisions'] });
      await two?.records('api_key').delete('elsewhere');
      for (const replica of replicas) await replica.kill();

      const disable = (...logs: string[]) => service(restored, 'cloud', 'disable-credentials', ...byLog(...logs));
      expect((await disable('log-1', 'log-2')).json).toMatchObject({ disabled: 6, enabled: 2 });
      const cloud = start(restored, 'log-3');
      expect(await working(cloud, keys)).toEqual(['good']);
      const { json, code } = await disable('log-1', 'log-2');
      expect([code === 0, JSON.stringify(json)]).toEqual([false, expect.stringMatching(/log is from before that/)]);
      // The running replica says anew what is good, which nothing has changed.
      expect(await working(cloud, keys)).toEqual(['good']);
    }, 300_000);
  });
});

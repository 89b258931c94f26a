import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { importJWK, SignJWT } from 'jose';
import knex, { type Knex } from 'knex';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../../cloud/testing/postgres-server.js';
import { finished, PROGRAM } from '../cli/workbench.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from '../cloud/cloud-process.js';

let dir: string;
const clouds: CloudProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'theft-'));
});
afterEach(async () => {
  for (const cloud of clouds.splice(0)) await cloud.kill();
  rmSync(dir, { recursive: true, force: true });
});

function start(name: string, env: Record<string, string> = {}): CloudProcess {
  const cloud = new CloudProcess(join(dir, name), { ...bootstrapEnv(), ...env });
  clouds.push(cloud);
  return cloud;
}

async function service(env: Record<string, string>, args: readonly string[]) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], { env: { PATH, HOME: dir, ...env } });
  const { code, stdout, stderr } = await finished(child);
  if (code !== 0) throw new Error(`servicectl ${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** The commands that the operator's page gives for a theft, in its order. */
function steps(): string[][] {
  const page = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
  const [, section = ''] = /## After a theft of the database\n([\s\S]*?)\n## /.exec(page) ?? [];
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.replace(/^servicectl /, '').split(' ')),
  );
}

const open = (filename: string) => knex.knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });

/** Who has a copy of the database signs tokens of any client with it. */
class Thief {
  private constructor(
    private readonly kid: string,
    private readonly jwk: string,
    private readonly client: { id: string; tenant: string; generation: string },
  ) {}

  static async of(copy: Knex): Promise<Thief> {
    const [{ kid, jwk }] = await copy('signing_keys').orderBy('version', 'desc');
    const [row] = await copy('records').join('secrets', 'record_pk', 'pk').where('operator', true);
    const generation = createHash('sha256').update(row.hash).digest('base64url').slice(0, 16);
    return new Thief(kid, jwk, { id: row.id, tenant: row.tenant_id, generation });
  }

  async token(seconds = 3600): Promise<string> {
    const { id, tenant, generation } = this.client;
    const scope = 'credentials records:write operator';
    return await new SignJWT({ client_id: id, tenant, scope, generation })
      .setProtectedHeader({ alg: 'ES256', kid: this.kid, typ: 'at+jwt' })
      .setAudience('authz-service')
      .setIssuedAt()
      .setExpirationTime(`${seconds}s`)
      .sign(await importJWK(JSON.parse(this.jwk), 'ES256'));
  }
}

const ask = (url: string, token: string, path = '/v1/whoami', method = 'GET') =>
  fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
const statuses = (urls: string[], token: string) =>
  Promise.all(urls.map(async (url) => (await ask(url, token)).status));

/** Does what the page says; before and after, the thief tries what the copy lets them. */
async function steal(urls: string[], copy: () => Promise<Knex>): Promise<void> {
  const [url = ''] = urls;
  const env = {
    SERVICE_CLOUD_URL: url,
    SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
    SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
  };
  const { secret: agent } = await service(env, ['keys', 'create', 'agent', '--scope', 'bundle']);
  const stolen = await copy();
  const thief = await Thief.of(stolen);
  const sessions = await stolen('console_sessions');
  const secrets = JSON.stringify(await stolen('secrets'));
  await stolen.destroy();
  expect([sessions, secrets.includes(agent)]).toEqual([[], false]);

  const forged = await thief.token();
  expect(await statuses(urls, forged)).toEqual(urls.map(() => 200));
  expect(await statuses(urls, await thief.token(3601))).toEqual(urls.map(() => 401));
  // The thief signs in to the console, which does not hang on the token any more.
  const link = await ask(url, forged, '/v1/console-links', 'POST');
  const { url: linked } = (await link.json()) as { url: string };
  const body = JSON.stringify({ link: new URL(linked).hash.slice(1) });
  const headers = { 'content-type': 'application/json', origin: url, 'sec-fetch-site': 'same-origin' };
  const opened = await fetch(`${url}/console/api/session`, { method: 'POST', headers, body });
  expect(opened.status).toBe(200);
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const signedIn = async () => (await fetch(`${url}/console/api/session`, { headers: { cookie } })).status;
  expect(await signedIn()).toBe(200);

  const done: Record<string, string> = {};
  for (const args of steps()) {
    const said = await service({ ...env, ...done }, args);
    if (said.client_secret) Object.assign(done, { SERVICE_CLIENT_SECRET: said.client_secret });
    if (args[1] !== 'rotate-keys') continue;
    for (const one of [forged, await thief.token()]) expect(await statuses(urls, one)).toEqual(urls.map(() => 401));
    expect(await signedIn()).toBe(401);
  }
  expect(done).toEqual({ SERVICE_CLIENT_SECRET: expect.any(String) });
  const chosen = new ServiceClient({ url, credentials: ADMINISTRATOR, retries: 0 });
  await expect(chosen.whoami()).rejects.toMatchObject({ code: 'invalid_client' });
  expect((await service({ ...env, ...done }, ['whoami'])).credential.name).toBe('administrator');
  // What was generated is still good.
  await vi.waitFor(async () => expect(await statuses(urls, agent)).toEqual(urls.map(() => 200)), 30_000);
}

describe('after a theft of the database, what the operator’s page says', () => {
  it('makes the copy worthless, on SQLite, and so does a restore of a backup with the stolen keys', async () => {
    const cloud = start('cloud');
    const url = await cloud.url();
    const backup = join(dir, 'stolen');
    await steal([url], async () => {
      await service({}, ['cloud', 'backup', backup, '--data-dir', join(dir, 'cloud')]);
      return open(backup);
    });
    await cloud.kill();
    const copy = open(backup);
    const thief = await Thief.of(copy);
    await copy.destroy();
    await service({}, ['cloud', 'restore', backup, '--data-dir', join(dir, 'restored')]);
    const restored = await start('restored').url();
    expect(await statuses([restored], await thief.token())).toEqual([401]);
  });

  describe.skipIf(!hasPostgres)('with replicas', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server.stop());

    it('makes the copy worthless on each of them at once', async () => {
      const database = await server.database();
      const [one, two] = [start('one', { DATABASE_URL: database }), start('two', { DATABASE_URL: database })];
      const urls = [await one.url(), await two.url()];
      await steal(urls, async () => knex.knex({ client: 'pg', connection: database }));
    });
  });
});

import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AgentList } from '@authz-service/sdk/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { WebServer } from './agent/web-server.js';
import { Workbench } from './cli/workbench.js';
import { ADMINISTRATOR, CloudProcess } from './cloud/cloud-process.js';

let home: string;
let bench: Workbench;
let cloud: CloudProcess;
let admin: ServiceClient;
let web: WebServer | undefined;
let env: Record<string, string>;
let folder: string;
const agents: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'bundle-publish-'));
  folder = join(home, 'www');
  bench = await Workbench.create();
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  await admin.changeset({
    changes: [
      { op: 'create', kind: 'application', fields: { name: 'billing' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
      { op: 'create', kind: 'resource', fields: { type: 'billing/invoice', name: 'INV-1' } },
      {
        op: 'create',
        kind: 'policy',
        fields: {
          application: 'billing',
          name: 'read',
          effect: 'ALLOW',
          priority: 0,
          resource_type: 'billing/invoice',
          actions: ['read'],
        },
      },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'billing/read', entity_type: 'subject', entity: 'user/alice' },
      },
    ] as never,
  });
  env = {
    SERVICE_CLOUD_URL: await cloud.url(),
    SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
    SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
  };
}, 60_000);
afterEach(async () => {
  await Promise.all([...agents.splice(0), cloud].map((one) => one.kill()));
  await web?.stop();
  web = undefined;
  await bench.close();
  rmSync(home, { recursive: true, force: true });
});

interface Published {
  tenant: string;
  revision: string;
}

/** Stops the cloud, does something to its files, and starts it again. */
async function restarted(meanwhile: () => void): Promise<void> {
  await cloud.kill();
  meanwhile();
  cloud = new CloudProcess(data());
  admin = await cloud.client();
  env.SERVICE_CLOUD_URL = await cloud.url();
}
const data = () => join(home, 'cloud');
const saved = () => join(home, 'saved');
const save = () => cpSync(data(), saved(), { recursive: true });
const putBack = () => {
  rmSync(data(), { recursive: true });
  cpSync(saved(), data(), { recursive: true });
};
const publish = (...args: string[]) => bench.json<Published>(['bundle', 'publish', folder, ...args], { env });
const watch = (...args: string[]): ChildProcess =>
  bench.spawn(['bundle', 'publish', folder, '--watch', '--interval', '1s', ...args], { env });
const pointer = (of = folder): { newest: string; bundle: string } =>
  JSON.parse(readFileSync(join(of, 'newest.json'), 'utf8'));
const said = (of = folder): { tenant: string; bundle: string; at: string } =>
  JSON.parse(Buffer.from(pointer(of).newest.split('.')[1] ?? '', 'base64url').toString());
const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
const commit = async (name: string): Promise<string> =>
  (await admin.changeset({ changes: [{ op: 'create', kind: 'group', fields: { name } }] as never })).revision;
const revoke = async (): Promise<string> => {
  const address = 'policy_assignment/billing/read//subject/user/alice';
  return (await admin.changeset({ changes: [{ op: 'delete', address }] as never })).revision;
};

async function agent(tenant: string, more: Record<string, string> = {}): Promise<AgentProcess> {
  web ??= await WebServer.ofFolder(folder);
  const { SERVICE_API_KEY: _, SERVICE_CLOUD_URL: __, ...rest } = agentEnv(home, '');
  writeFileSync(join(home, 'pinned.json'), readFileSync(join(folder, 'keys.json')));
  const started = new AgentProcess({
    env: {
      ...rest,
      SERVICE_BUNDLE_URL: web.url,
      SERVICE_TENANT_ID: tenant,
      SERVICE_BUNDLE_JWKS: join(home, 'pinned.json'),
      SERVICE_POLL_INTERVAL: '100ms',
      ...more,
    },
  });
  agents.push(started);
  return started;
}

describe('servicectl bundle publish', () => {
  it('lets agents decide without the cloud; a revocation comes as a change, and a dead publisher makes them old', async () => {
    const publisher = watch();
    await until(() => expect(existsSync(join(folder, 'newest.json'))).toBe(true));
    const { tenant } = said();
    const one = await agent(tenant, { SERVICE_MAX_AGE: '12s' });
    await one.healthy(({ status }) => status === 'ok');
    await until(async () => expect(await one.allows('alice')).toBe(true));

    const revision = await revoke();
    await one.serves(revision);
    await until(async () => expect(await one.allows('alice')).toBe(false));
    expect(await (await one.get('/v1/status')).json()).toMatchObject({ activated_by: 'delta' });
    const { at } = said();
    await until(() => expect(said().at > at).toBe(true));

    await cloud.kill();
    expect(await one.allows('alice')).not.toBe(true);
    await until(async () => expect((await one.get('/readyz')).status).toBe(503));
    expect(publisher.exitCode).toBeNull();
    publisher.kill('SIGKILL');
  }, 120_000);

  it('publishes what some applications need, with a key that names them', async () => {
    await admin.changeset({ changes: [{ op: 'create', kind: 'application', fields: { name: 'crm' } }] as never });
    const key = { name: 'www', scopes: ['bundle'], applications: ['billing'] } as const;
    const { secret } = await admin
      .records('api_key')
      .create({ ...key, applications: [...key.applications], scopes: ['bundle'] });
    env = { SERVICE_CLOUD_URL: await cloud.url(), SERVICE_API_KEY: String(secret) };
    const { tenant } = await publish();
    const one = await agent(tenant);
    await until(async () => expect(await one.allows('alice')).toBe(true));
    const status = async () => (await (await one.get('/v1/status')).json()) as Record<string, unknown>;
    expect(await status()).toMatchObject({ applications: ['billing'] });

    const { bundle } = said();
    const other = { application: 'crm', name: 'deal', actions: [] };
    const change = { op: 'create', kind: 'role', fields: { application: 'crm', name: 'lead', description: 'Notes.' } };
    await admin.changeset({ changes: [{ op: 'create', kind: 'resource_type', fields: other }] as never });
    await admin.changeset({ changes: [{ op: 'create', kind: 'group', fields: { name: 'sellers' } }] as never });
    await admin.changeset({ changes: [change] as never });
    await publish();
    expect(said().bundle).not.toBe(bundle);
    const { revision } = await admin.changeset({
      changes: [{ op: 'create', kind: 'group', fields: { name: 'idle' } }] as never,
    });
    const before = said().bundle;
    await publish();
    expect(said().bundle).toBe(before);
    await until(async () => expect(await status()).toMatchObject({ revision }));
    await revoke();
    await publish();
    await until(async () => expect(await one.allows('alice')).toBe(false));
    expect(await status()).toMatchObject({ activated_by: 'delta', applications: ['billing'] });
  }, 120_000);

  it('leaves what agents can use whenever it is killed, and goes on from there', async () => {
    const { tenant } = await publish();
    const one = await agent(tenant);
    for (let round = 0; round < 6; round++) {
      const publisher = watch();
      const line = new Promise((resolve) => publisher.stderr?.once('data', resolve));
      const revision = await commit(`group-${round}`);
      if (round % 2 === 0) await line;
      else await until(() => expect(said().bundle).toBe(revision));
      publisher.kill('SIGKILL');
      await one.serves(said().bundle);
      const fresh = await agent(tenant, { SERVICE_CACHE_DIR: join(home, `cache-${round}`) });
      await fresh.serves(said().bundle);
      await fresh.kill();
    }
    const { revision } = await publish();
    await one.serves(revision);
  }, 180_000);

  it('may run twice at once, with one outcome that agents follow', async () => {
    const { tenant } = await publish();
    const one = await agent(tenant);
    const publishers = [watch('--name', 'a'), watch('--name', 'b')];
    await until(async () => expect(await admin.agents()).toMatchObject({ total: 3, publishers: 3 }));
    let revision = '';
    for (let n = 0; n < 12; n++) revision = await commit(`group-${n}`);
    await one.serves(revision);
    await until(() => expect([said().bundle, pointer().bundle]).toEqual([revision, revision]));
    for (const publisher of publishers) publisher.kill('SIGKILL');
    const fresh = await agent(tenant, { SERVICE_CACHE_DIR: join(home, 'fresh') });
    await fresh.serves(revision);
    await until(async () => expect(await admin.agents()).toMatchObject({ total: 3, publishers: 3, enforced: false }));
  }, 120_000);

  it('removes only what it has published and nobody needs', async () => {
    await publish();
    const [key = ''] = readdirSync(folder).filter((name) => name.startsWith('bundle-'));
    const foreign = ['notes.txt', `${key}/notes.txt`, `${key}/delta-x.tar.gz`];
    for (const name of foreign) writeFileSync(join(folder, name), 'mine');
    for (let n = 0; n < 4; n++) {
      await commit(`group-${n}`);
      await publish('--keep', '1');
    }
    const deltas = files().filter((name) => name.startsWith('delta-') && name !== 'delta-x.tar.gz');
    expect(deltas).toHaveLength(1);
    expect(files()).toContain(`bundle-${pointer().bundle}.tar.gz`);
    for (const name of foreign) expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
  }, 120_000);

  it('mends what has been damaged or removed', async () => {
    const { revision, tenant } = await publish();
    const [key = ''] = readdirSync(folder).filter((name) => name.startsWith('bundle-'));
    const bundle = join(folder, key, `bundle-${revision}.tar.gz`);
    writeFileSync(bundle, 'damaged');
    await publish();
    const one = await agent(tenant);
    await one.serves(revision);
    rmSync(join(folder, key), { recursive: true });
    await publish();
    expect(existsSync(bundle)).toBe(true);
  }, 60_000);

  it('refuses a folder of another tenant, one with other things, and an older revision', async () => {
    await publish();
    const made = await admin.tenants.create({ name: 'other' });
    const other = { ...env, SERVICE_CLIENT_ID: made.client_id, SERVICE_CLIENT_SECRET: made.client_secret };
    const before = readFileSync(join(folder, 'newest.json'));
    const refused = await bench.run(['bundle', 'publish', folder], { env: other });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/holds the bundles of tenant .*another folder/),
    });
    expect(readFileSync(join(folder, 'newest.json'))).toEqual(before);

    mkdirSync(join(home, 'site'));
    writeFileSync(join(home, 'site', 'index.html'), '<h1>');
    const site = await bench.run(['bundle', 'publish', join(home, 'site')], { env });
    expect(site).toMatchObject({ code: 1, stderr: expect.stringContaining('holds "index.html"') });
    expect(readdirSync(join(home, 'site'))).toEqual(['index.html']);

    const { secret } = await admin.records('api_key').create({ name: 'ops', scopes: ['bundle'], operator: true });
    const operator = { SERVICE_CLOUD_URL: env.SERVICE_CLOUD_URL ?? '', SERVICE_API_KEY: String(secret) };
    const all = await bench.run(['bundle', 'publish', join(home, 'all')], { env: operator });
    expect(all).toMatchObject({ code: 1, stderr: expect.stringContaining('--tenant') });
    const named = await bench.json<Published>(['bundle', 'publish', join(home, 'all'), '--tenant', 'other'], {
      env: operator,
    });
    expect(said(join(home, 'all')).tenant).toBe(named.tenant);
  }, 120_000);

  it('goes back only where that is permitted', async () => {
    await restarted(save);
    const later = await commit('later');
    await publish();
    await restarted(putBack);
    const refused = await bench.run(['bundle', 'publish', folder], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--allow-rollback') });
    expect(said().bundle).toBe(later);
    const { revision } = await publish('--allow-rollback');
    expect(said().bundle).toBe(revision);
    expect(Number.parseInt(revision, 10)).toBeLessThan(Number.parseInt(later, 10));
  }, 120_000);

  it('refuses a restored cloud that has passed the published number by other commits', async () => {
    await restarted(save);
    const lost = await revoke();
    const { tenant } = await publish();
    const one = await agent(tenant);
    await one.serves(lost);
    await restarted(putBack);
    for (const name of ['one', 'two']) {
      await commit(name);
      const refused = await bench.run(['bundle', 'publish', folder], { env });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('comes from a history without') });
    }
    expect(said().bundle).toBe(lost);
    expect(await one.allows('alice')).toBe(false);
  }, 120_000);

  it('follows a rotation of keys, and so do its agents', async () => {
    const { tenant } = await publish();
    const one = await agent(tenant);
    await one.healthy(({ status }) => status === 'ok');
    const { kid } = await admin.rotateBundleKeys();
    const revision = await commit('one');
    await publish();
    await one.serves(revision);
    expect(await (await one.get('/v1/status')).json()).toMatchObject({ keys: { signed_by: kid } });
    await admin.rotateBundleKeys({ revoke: true });
    const last = await commit('two');
    await publish();
    await one.serves(last);
  }, 120_000);

  it('keeps the fleet from claiming that all enforce', async () => {
    await publish();
    await bench.write({ 'tenant/a.yaml': 'version: 1\nroles: { first: {} }\n' });
    const waiting = ['apply', 'tenant', '--yes', '--wait=enforced', '--timeout', '3s'];
    const publisher = watch();
    const done = await bench.json<{ enforced: boolean; publishers: number; behind: AgentList['agents'] }>(waiting, {
      env,
      code: 3,
    });
    expect(done).toMatchObject({ enforced: false, agents: 1, publishers: 1 });
    const plain = await bench.run(waiting, { env });
    expect(plain).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/One of them publishes bundles as files: nobody knows/),
    });
    const listed = await bench.run(['agents'], { env });
    expect(listed.stdout).toMatch(/its readers are unknown/);
    publisher.kill('SIGKILL');
    await bench.run(['agents', 'retire', 'publisher:default'], { env });
    expect(await bench.json(waiting, { env })).toMatchObject({ enforced: true, agents: 0 });
  }, 120_000);
});

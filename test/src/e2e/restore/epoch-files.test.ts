import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from '../agent/agent-process.js';
import { WebServer } from '../agent/web-server.js';
import { finished, PROGRAM } from '../cli/workbench.js';
import { ADMINISTRATOR, CloudProcess } from '../cloud/cloud-process.js';

let dir: string;
let web: WebServer;
/** The folder that the web server shows. */
let shown: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let agent: AgentProcess;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'restore-files-'));
  shown = at('www');
  web = await WebServer.start((path) => {
    try {
      return readFileSync(join(shown, path));
    } catch {
      return undefined;
    }
  });
});
afterEach(async () => {
  await Promise.all([cloud, agent].map((one) => one?.kill()));
  await web.stop();
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string): string => join(dir, name);

async function service(...args: string[]) {
  const { PATH = '' } = process.env;
  const { clientId, clientSecret } = ADMINISTRATOR;
  const operator = { SERVICE_CLIENT_ID: clientId, SERVICE_CLIENT_SECRET: clientSecret };
  const env = { PATH, HOME: dir, SERVICE_CLOUD_URL: await cloud.url(), ...operator };
  const { code, stdout, stderr } = await finished(spawn(process.execPath, [PROGRAM, ...args, '--json'], { env }));
  if (code !== 0) throw new Error(`servicectl ${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

async function start(data: string): Promise<void> {
  cloud = new CloudProcess(at(data));
  admin = await cloud.client();
}
const stop = async (): Promise<void> => {
  cloud.signal('SIGTERM');
  await cloud.exited;
};
const publish = async (folder = 'www') => await service('bundle', 'publish', at(folder));
const declare = async (data: string, key: string, ...more: string[]): Promise<string> => {
  await stop();
  const { epoch } = await service('cloud', 'declare-epoch', '--epoch-key', at(key), '--data-dir', at(data), ...more);
  await start(data);
  return epoch;
};
const commit = async (...names: string[]): Promise<string> => {
  const changes = names.map((name) => ({ op: 'create', kind: 'role', fields: { name } }));
  return (await admin.changeset({ changes: changes as never })).revision;
};
/** Lets somebody with the backup run a cloud of his own. */
const startCopy = async (data: string): Promise<void> => {
  mkdirSync(at(data));
  copyFileSync(at('backup'), join(at(data), 'cloud.sqlite'));
  await start(data);
};

function startAgent(tenant: string): AgentProcess {
  const { SERVICE_API_KEY: _, SERVICE_CLOUD_URL: __, ...rest } = agentEnv(dir, '');
  const own = {
    SERVICE_BUNDLE_URL: web.url,
    SERVICE_TENANT_ID: tenant,
    SERVICE_BUNDLE_JWKS: at('pinned.json'),
    SERVICE_POLL_INTERVAL: '50ms',
    SERVICE_CACHE_DIR: at('cache'),
  };
  return new AgentProcess({ env: { ...rest, ...own } });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into the report.
const status = async (): Promise<any> => (await agent.get('/v1/status')).json();
const enters = (epoch: string, revision: string) =>
  until(async () => expect(await status()).toMatchObject({ revision, epoch: { name: epoch }, degraded: false }));
const refuses = (cause: RegExp, revision: string) =>
  until(async () =>
    expect(await status()).toMatchObject({
      revision,
      degraded: true,
      last_error: { detail: expect.stringMatching(cause) },
    }),
  );

it('agents that read files follow the new epoch without a restart, and nobody else', async () => {
  await start('cloud');
  await service('cloud', 'make-epoch-key', at('epoch.key'));
  await service('cloud', 'make-epoch-key', at('other.key'));
  // Changes are published where they are smaller than the whole.
  const initial = await commit(...Array.from({ length: 100 }, (_, n) => `initial-${n}`));
  const { tenant } = await publish();
  copyFileSync(join(at('www'), 'keys.json'), at('pinned.json'));
  agent = startAgent(tenant);
  await agent.serves(initial);

  // The first epoch, at a revision that has been published before.
  const first = await declare('cloud', 'epoch.key');
  expect((await publish()).revision).toBe(initial);
  await enters(first, initial);
  const saved = await commit('saved');
  await publish();
  await enters(first, saved);
  expect(await status()).toMatchObject({ activated_by: 'delta' });
  await service('cloud', 'backup', at('backup'), '--data-dir', at('cloud'));
  await commit('lost');
  const last = await commit('lost-too');
  await publish();
  await enters(first, last);
  cpSync(at('www'), at('www-before'), { recursive: true });
  await stop();

  // Who has the backup alone.
  await startCopy('thief');
  await expect(publish()).rejects.toThrow(/older than the published revision/);
  await publish('www-thief');
  shown = at('www-thief');
  await refuses(/is older than/, last);
  await declare('thief', 'other.key', '--replace-key');
  await publish('www-thief');
  await refuses(/is signed by the key epoch-/, last);
  await stop();

  // By the book.
  shown = at('www');
  const data = ['--data-dir', at('cloud'), '--replace', '--epoch-key', at('epoch.key')];
  const { epoch } = await service('cloud', 'restore', at('backup'), ...data);
  await start('cloud');
  expect((await publish()).revision).toBe(saved);
  await enters(epoch, saved);
  const next = await commit('next');
  await publish();
  await enters(epoch, next);
  expect(await status()).toMatchObject({ activated_by: 'delta' });
  await stop();

  // Old files are an old copy; later ones of the epoch before are refused, also by an agent that is started again.
  const read = web.count('/newest.json', 200);
  shown = at('www-before');
  await until(() => expect(web.count('/newest.json', 200)).toBeGreaterThan(read));
  await enters(epoch, next);
  await startCopy('late');
  for (let turn = 0; turn < 5; turn++) await commit(`turn-${turn}`);
  await expect(publish()).rejects.toThrow(/older than the published revision/);
  await publish('www-late');
  shown = at('www-late');
  await refuses(/is earlier than/, next);
  await agent.kill();
  agent = startAgent(tenant);
  await refuses(/is earlier than/, next);
  shown = at('www');
  await enters(epoch, next);
}, 300_000);

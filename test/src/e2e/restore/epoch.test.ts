import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../../cloud/testing/postgres-server.js';
import { AgentProcess, agentEnv, until } from '../agent/agent-process.js';
import { asking } from '../agent/tenant-fixture.js';
import { finished, PROGRAM } from '../cli/workbench.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from '../cloud/cloud-process.js';
import { Relay } from './relay.js';

const GRANTED = [
  { kind: 'application', fields: { name: 'billing' } },
  { kind: 'resource_type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
  {
    kind: 'policy',
    fields: {
      application: 'billing',
      name: 'read',
      effect: 'ALLOW',
      resource_type: 'billing/invoice',
      actions: ['read'],
    },
  },
];
const granted = (id: string) => [
  { op: 'create', kind: 'subject', fields: { type: 'user', id } } as const,
  {
    op: 'create',
    kind: 'policy_assignment',
    fields: { policy: 'billing/read', entity_type: 'subject', entity: `user/${id}` },
  } as const,
];

/** A database in one of the stores, as a drill handles it. */
interface Place {
  /** The environment by which commands and the cloud find it. */
  env: Record<string, string>;
  folder: string;
  flags: string[];
  /** Whether a cloud may run while an epoch is declared. */
  shared: boolean;
  backUp(to: string): Promise<void>;
  /** Somebody's own copy of a backup. */
  copy(of: string): Promise<Place>;
  /** The restored database; what the book says is run with it. */
  restore(from: string, key: string): Promise<Place>;
}

let dir: string;
let relay: Relay;
const clouds: CloudProcess[] = [];
const agents: AgentProcess[] = [];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'restore-drill-'));
  relay = await Relay.start();
});
afterEach(async () => {
  await Promise.all([...clouds.splice(0), ...agents.splice(0)].map((one) => one.kill()));
  await relay.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs `servicectl …` to its end, and returns what it says as JSON. */
async function service(env: Record<string, string>, ...args: string[]) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], { env: { PATH, HOME: dir, ...env } });
  const { code, stdout, stderr } = await finished(child);
  if (code !== 0) throw new Error(`servicectl ${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

async function start({ env, folder }: Place) {
  const cloud = new CloudProcess(folder, { ...bootstrapEnv(), ...env });
  clouds.push(cloud);
  const url = await cloud.url();
  relay.lead(url);
  const admin = new ServiceClient({ url, credentials: ADMINISTRATOR, retries: 0 });
  const stop = async () => {
    relay.lead(undefined);
    cloud.signal('SIGTERM');
    await cloud.exited;
  };
  return { url, admin, stop };
}

function agentWith(secret: string): AgentProcess {
  const more = { SERVICE_API_KEY: secret, SERVICE_POLL_INTERVAL: '50ms', SERVICE_CACHE_DIR: join(dir, 'cache') };
  const agent = new AgentProcess({ env: agentEnv(dir, relay.url, more) });
  agents.push(agent);
  return agent;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into the report.
const status = async (agent: AgentProcess) => (await (await agent.get('/v1/status')).json()) as any;
const asks = async (url: string, revision: string | undefined, as?: string) => {
  const headers = {
    'content-type': 'application/json',
    ...(as !== undefined && { authorization: `Bearer ${as}` }),
    ...(revision !== undefined && { 'service-min-revision': revision }),
  };
  const response = await fetch(`${url}/v1/authorize`, { method: 'POST', headers, body: asking('alice') });
  const { code, detail } = (await response.json()) as { code?: string; detail?: string };
  return { status: response.status, code, detail, revision: response.headers.get('service-revision') };
};

async function drill(place: Place): Promise<void> {
  const key = join(dir, 'epoch.key');
  const declare = (at: Place, file: string, ...more: string[]) =>
    service(at.env, 'cloud', 'declare-epoch', '--epoch-key', file, ...at.flags, ...more);
  const { kid } = await service({}, 'cloud', 'make-epoch-key', key);
  expect(statSync(key).mode & 0o777).toBe(0o600);

  let cloud = await start(place);
  const { changeset } = { changeset: (changes: object[]) => cloud.admin.changeset({ changes: changes as never }) };
  await changeset(GRANTED.map((one) => ({ op: 'create', ...one })));
  await changeset(granted('alice'));
  const makeKey = async (name: string, scopes: ('bundle' | 'decisions')[]) =>
    String((await cloud.admin.records('api_key').create({ name, scopes })).secret);
  const agentKey = await makeKey('agent', ['bundle']);
  const stolen = await makeKey('stolen', ['decisions']);
  const kept = await makeKey('kept', ['decisions']);
  const agent = agentWith(agentKey);
  const { revision: first } = await cloud.admin.state();
  await agent.serves(first);
  expect((await status(agent)).epoch).toBeNull();

  // The first epoch changes nothing but what is signed.
  if (!place.shared) await cloud.stop();
  const { epoch } = await declare(place, key);
  if (!place.shared) cloud = await start(place);
  await until(async () => expect((await status(agent)).epoch).toMatchObject({ name: epoch, signed_by: kid }));
  await agent.serves(first);
  const { revision: saved } = await changeset([{ op: 'create', kind: 'role', fields: { name: 'saved' } }]);
  const survives = cloud.admin.revision ?? '';
  expect(survives).toBe(`${saved}.${epoch}`);
  await agent.serves(saved);
  expect(await status(agent)).toMatchObject({ activated_by: 'delta', epoch: { name: epoch } });
  expect(await asks(await agent.url(), survives)).toMatchObject({ status: 200, revision: survives });

  if (place.shared) await cloud.stop();
  await place.backUp('backup');
  if (place.shared) cloud = await start(place);

  // What the backup does not know.
  await cloud.admin.records('api_key').delete('stolen');
  await changeset(granted('eve'));
  await changeset([{ op: 'create', kind: 'role', fields: { name: 'lost' } }]);
  const lost = cloud.admin.revision ?? '';
  const { revision: last } = await cloud.admin.state();
  await agent.serves(last);
  expect([await agent.allows('alice'), await agent.allows('eve')]).toEqual([true, true]);
  const client = new ServiceClient({ url: await agent.url() });
  client.notBefore(lost);
  await cloud.stop();

  /** Nobody else who has the backup gets the agent to follow, whatever he says. */
  const refuses = async (thief: Place, cause: RegExp, serves = last) => {
    const theirs = await start(thief);
    await until(async () => expect((await status(agents.at(-1) as AgentProcess)).last_error?.detail).toMatch(cause));
    expect(await status(agents.at(-1) as AgentProcess)).toMatchObject({ revision: serves, degraded: true });
    await theirs.stop();
  };
  const thief = await place.copy('backup');
  await refuses(thief, /is older than/);
  const other = join(dir, 'other.key');
  await service({}, 'cloud', 'make-epoch-key', other);
  await expect(declare(thief, other)).rejects.toThrow(/agents that know that one follow no other/);
  await declare(thief, other, '--replace-key');
  await refuses(thief, /is signed by the key epoch-/);

  // By the book.
  const restored = await place.restore('backup', key);
  cloud = await start(restored);
  await service(operator(cloud.url), 'credentials', 'enable', 'api_key/agent');
  await service(operator(cloud.url), 'credentials', 'enable', 'api_key/kept');
  await agent.serves(saved);
  const now = (await status(agent)).epoch;
  expect(now).toMatchObject({ signed_by: kid, name: expect.not.stringContaining(epoch) });
  expect([await agent.allows('alice'), await agent.allows('eve')]).toEqual([true, false]);
  expect(await asks(cloud.url, undefined, stolen)).toMatchObject({ status: 401 });
  const metric = Number.parseInt(now.name, 10);
  expect((await agent.metrics()).get('service_agent_epoch')).toBe(metric);
  expect(await (await fetch(`${cloud.url}/metrics`)).text()).toContain(`service_cloud_epoch ${metric}`);
  expect(JSON.stringify(await (await fetch(`${cloud.url}/.well-known/jwks.json`)).json())).toContain(kid);
  expect((await service(restored.env, 'cloud', 'verify', ...restored.flags)).faults).toEqual([]);

  // What callers carry from before is answered truthfully, and clients go on by themselves.
  expect(await asks(cloud.url, lost, kept)).toMatchObject({ status: 412, code: 'unknown_revision' });
  expect(await asks(cloud.url, survives, kept)).toMatchObject({ status: 200, revision: `${saved}.${now.name}` });
  expect(await asks(await agent.url(), lost)).toMatchObject({
    status: 412,
    detail: expect.stringContaining(`of another epoch than ${now.name}`),
  });
  const subject = { type: 'user', id: 'alice' };
  const decided = await client.decide({
    subject,
    action: { name: 'read' },
    resource: { type: 'invoice', id: 'INV-1' },
  });
  expect(decided.allowed).toBe(true);
  expect(client.revision).toBe(`${saved}.${now.name}`);
  const { revision: next } = await changeset([{ op: 'create', kind: 'role', fields: { name: 'next' } }]);
  expect(await asks(await agent.url(), cloud.admin.revision)).toMatchObject({
    status: 200,
    revision: `${next}.${now.name}`,
  });
  await cloud.stop();

  // The epoch before is over for good, also for an agent that is started again, and whatever number its revisions have.
  await agent.kill();
  const again = agentWith(agentKey);
  await again.logged(({ msg }) => msg === 'serving the cached bundle');
  const late = await place.copy('backup');
  const theirs = await start(late);
  for (let turn = 0; turn < 5; turn++)
    await theirs.admin.changeset({ changes: [{ op: 'create', kind: 'role', fields: { name: `turn-${turn}` } }] });
  await theirs.stop();
  await refuses(late, /is earlier than/, next);
}

/** As the operator of a cloud. */
const operator = (url: string) => ({
  SERVICE_CLOUD_URL: url,
  SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
  SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
});

describe('agents after a restore', () => {
  it('follow the new epoch without a restart, and nobody else, on SQLite', async () => {
    let copies = 0;
    const placeOf = (folder: string): Place => ({
      env: {},
      folder,
      flags: ['--data-dir', folder],
      shared: false,
      backUp: (to) => service({}, 'cloud', 'backup', join(dir, to), '--data-dir', folder),
      copy: async (of) => {
        const theirs = join(dir, `copy-${copies++}`);
        mkdirSync(theirs);
        copyFileSync(join(dir, of), join(theirs, 'cloud.sqlite'));
        return placeOf(theirs);
      },
      restore: async (from, key) => {
        const done = await service(
          {},
          'cloud',
          'restore',
          join(dir, from),
          '--data-dir',
          folder,
          '--replace',
          '--epoch-key',
          key,
        );
        expect(done.epoch).toMatch(/^\d+-[0-9a-f]{8}$/);
        return placeOf(folder);
      },
    });
    await drill(placeOf(join(dir, 'cloud')));
  }, 300_000);

  it.skipIf(!hasPostgres)(
    'follow the new epoch without a restart, and nobody else, on PostgreSQL',
    async () => {
      const server = await PostgresServer.start();
      try {
        const backups = new Map<string, string>();
        const cloned = async (url: string) => await server.database(`template ${new URL(url).pathname.slice(1)}`);
        const placeOf = (url: string): Place => ({
          env: { DATABASE_URL: url },
          folder: dir,
          flags: [],
          shared: true,
          backUp: async (to) => void backups.set(to, await cloned(url)),
          copy: async (of) => placeOf(await cloned(backups.get(of) ?? '')),
          restore: async (from, key) => {
            const place = placeOf(await cloned(backups.get(from) ?? ''));
            await service(place.env, 'cloud', 'migrate');
            const done = await service(place.env, 'cloud', 'disable-credentials', '--epoch-key', key);
            expect(done.epoch).toMatch(/^\d+-[0-9a-f]{8}$/);
            return place;
          },
        });
        await drill(placeOf(await server.database()));
      } finally {
        await Promise.all(clouds.splice(0).map((cloud) => cloud.kill()));
        await server.stop();
      }
    },
    300_000,
  );
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DeclaredRecord, declare } from '@authz-service/core/records/registry';
import { ServiceClient } from '@authz-service/sdk/client';
import { answering, type Running, root, start, stop } from './processes.js';

/** The agents of one team, in a tenant of many: with a key for everything, and with one for an application. */
export interface ApplicationsFigures {
  records: number;
  agents: { of: string; residentBytes: number; bundleBytes: number }[];
  /** The resident bytes of an agent that has nothing yet. */
  bareBytes: number;
  /** Milliseconds from the commit of a grant of the application until its agent serves it. */
  served: Record<'whole' | 'slice', { p50: number; p99: number }>;
  /** The commits to other applications, of a hundred, that the agent of one was told of. */
  told: number;
}

const APPLICATIONS = 50;
const PEOPLE = 20_000;
const GROUPS = 500;
const EACH = { types: 5, resources: 2400, roles: 25, policies: 100, grants: 345 };
const CHANGES_PER_COMMIT = 20_000;
const ROUNDS = 100;

const person = (index: number): string => `user/person-${index}`;

function* records(): Generator<DeclaredRecord, void> {
  for (let at = 0; at < PEOPLE; at += 1) {
    const properties = {
      department: `d${at % 40}`,
      level: at % 9,
      title: `Title ${at % 300}`,
      city: `City ${at % 90}`,
    };
    yield declare('subject', { type: 'user', id: `person-${at}`, name: `Person Number ${at}`, properties });
  }
  for (let at = 0; at < GROUPS; at += 1) yield declare('group', { name: `group-${at}` });
  for (let at = 0; at < PEOPLE; at += 1)
    yield declare('group_membership', { group: `group-${at % GROUPS}`, entity_type: 'subject', entity: person(at) });
  for (let app = 0; app < APPLICATIONS; app += 1) yield* recordsOf(app);
}

function* recordsOf(app: number): Generator<DeclaredRecord, void> {
  const application = `app${app}`;
  yield declare('application', { name: application });
  for (let at = 0; at < EACH.types; at += 1)
    yield declare('resource_type', { application, name: `type${at}`, actions: ['read', 'write'] });
  for (let at = 0; at < EACH.resources; at += 1)
    yield declare('resource', { type: `${application}/type${at % EACH.types}`, name: `r-${at}`, properties: { at } });
  for (let at = 0; at < EACH.roles; at += 1) yield declare('role', { application, name: `role${at}` });
  for (let at = 0; at < EACH.policies; at += 1) {
    const type = `${application}/type${at % EACH.types}`;
    const condition = at % 4 === 0 ? 'subject.properties.level > 3' : undefined;
    const fields = {
      application,
      name: `p${at}`,
      effect: 'ALLOW' as const,
      priority: 0,
      resource_type: type,
      actions: ['read'],
      condition,
    };
    yield declare('policy', fields);
    yield declare('policy_assignment', {
      policy: `${application}/p${at}`,
      entity_type: 'role',
      entity: `${application}/role${at % EACH.roles}`,
    });
  }
  for (let at = 0; at < EACH.grants; at += 1)
    yield declare('role_assignment', {
      role: `${application}/role${at % EACH.roles}`,
      ...(at % 3 === 0
        ? { entity_type: 'group' as const, entity: `group-${(app * 7 + at) % GROUPS}` }
        : { entity_type: 'subject' as const, entity: person((app * 397 + at) % PEOPLE) }),
    });
}

/** Measures built programs, the agents one after the other. */
export async function measureApplications(): Promise<ApplicationsFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const running: Running[] = [];
  const run = async (program: string, args: string[], env: Record<string, string>) => {
    const started = await start(process.execPath, [join(root, program), ...args], { HOME: folder, ...env });
    running.push(started);
    return started;
  };
  try {
    const secret = randomBytes(24).toString('base64url');
    const cloud = await run(
      'cli/bin/service.js',
      ['cloud', 'start', '--data-dir', join(folder, 'cloud'), '--listen-addr', '127.0.0.1:0'],
      { SERVICE_BOOTSTRAP_CLIENT_ID: 'bench', SERVICE_BOOTSTRAP_CLIENT_SECRET: secret },
    );
    const client = new ServiceClient({ url: cloud.url, credentials: { clientId: 'bench', clientSecret: secret } });
    const all = [...records()];
    for (let at = 0; at < all.length; at += CHANGES_PER_COMMIT) {
      const changes = all
        .slice(at, at + CHANGES_PER_COMMIT)
        .map(({ kind, fields }) => ({ op: 'create' as const, kind, fields }));
      await client.changeset({ changes });
    }
    const agentOf = async (of: string, applications?: string[]) => {
      const key = await client
        .records('api_key')
        .create({ name: of, scopes: ['bundle'], ...(applications && { applications }) });
      const agent = await run('agent/bin/service-agent.js', [], {
        SERVICE_API_KEY: String(key.secret),
        SERVICE_CLOUD_URL: cloud.url,
        SERVICE_LISTEN_ADDR: '127.0.0.1:0',
        SERVICE_CACHE_DIR: join(folder, of),
      });
      await answering(`${agent.url}/readyz`);
      return agent;
    };
    const bare = await run('agent/bin/service-agent.js', [], {
      SERVICE_API_KEY: 'svc_none',
      SERVICE_CLOUD_URL: 'http://127.0.0.1:9',
      SERVICE_LISTEN_ADDR: '127.0.0.1:0',
      SERVICE_CACHE_DIR: join(folder, 'bare'),
    });
    await wait(5000);
    const bareBytes = residentOf(bare);
    await stop(bare);
    const agents: ApplicationsFigures['agents'] = [];
    const served = {} as ApplicationsFigures['served'];
    let told = 0;
    for (const [of, applications] of [
      ['whole', undefined],
      ['slice', ['app7']],
    ] as const) {
      const agent = await agentOf(of, applications && [...applications]);
      await wait(10_000);
      const bundleBytes = statSync(join(folder, of, 'bundle.json')).size;
      agents.push({ of, residentBytes: residentOf(agent), bundleBytes });
      served[of] = await commitsServed(client, agent);
      if (of === 'slice') told = await toldOf(client, agent);
      await stop(agent);
    }
    return { records: all.length, agents, bareBytes, served, told };
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

function residentOf({ child }: Running): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

const granting = (app: number, at: number) => ({
  op: 'create' as const,
  kind: 'role_assignment' as const,
  fields: { role: `app${app}/role1`, entity_type: 'subject' as const, entity: person(10_000 + at) },
});

async function digestOf(agent: Running): Promise<string> {
  return String((await new ServiceClient({ url: agent.url }).agentStatus()).digest);
}

async function commitsServed(client: ServiceClient, agent: Running): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await digestOf(agent);
    const begun = performance.now();
    const commit = client.changeset({ changes: [granting(7, round)] });
    while ((await digestOf(agent)) === before) await wait(1);
    taken.push(performance.now() - begun);
    const { revision } = await commit;
    await client.changeset({
      changes: [{ op: 'delete', address: `role_assignment/app7/role1//subject/${person(10_000 + round)}` }],
    });
    while ((await digestOf(agent)) !== before) await wait(1);
    if (revision === '') throw new Error('the commit made no revision');
  }
  const sorted = taken.sort((one, other) => one - other);
  return { p50: sorted[ROUNDS / 2] ?? Number.NaN, p99: sorted[ROUNDS - 1] ?? Number.NaN };
}

/** Counts the answers that an agent gets while others commit: those of polls that end by themselves are none of these. */
async function toldOf(client: ServiceClient, agent: Running): Promise<number> {
  const asked = async () => String((await new ServiceClient({ url: agent.url }).agentStatus()).last_request);
  let told = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await asked();
    await client.changeset({ changes: [granting(round % 7, round)] });
    await wait(20);
    if ((await asked()) !== before) told += 1;
  }
  return told;
}

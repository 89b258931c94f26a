import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chosenSeed, Random } from '../faults/random.js';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { CloudProcess } from './cloud/cloud-process.js';

const COMMITS = 200;
const SUBJECTS = ['u0', 'u1', 'u2', 'u3'];
const GROUPS = ['g0', 'g1', 'g2'];
const ROLES = ['r0', 'r1', 'r2'];
const DOCS = ['d0', 'd1', 'd2'];
const POLICIES = ['p0', 'p1', 'p2', 'p3'];

const seed = chosenSeed();
const random = new Random(seed);
let home: string;
let cloud: CloudProcess;
let proxy: TcpProxy;
let target: URL;
let admin: ServiceClient;
let decider: ServiceClient;
let key: string;
let agent: AgentProcess;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-deltas-'));
  await startCloud();
  proxy = await TcpProxy.start(() => target);
  await admin.changeset({ changes: firstChanges() });
  key = String((await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] })).secret);
  agent = startAgent();
}, 60_000);
afterAll(async () => {
  await agent.kill();
  await cloud.kill();
  await proxy.stop();
  rmSync(home, { recursive: true, force: true });
});

async function startCloud(): Promise<void> {
  cloud = new CloudProcess(join(home, 'cloud'));
  target = new URL(await cloud.url());
  admin = await cloud.client();
  decider = admin;
}

function startAgent(): AgentProcess {
  return new AgentProcess({
    env: agentEnv(home, proxy.url, {
      SERVICE_API_KEY: key,
      SERVICE_POLL_INTERVAL: '4s',
      SERVICE_CACHE_DIR: join(home, 'cache'),
    }),
  });
}

const create = (kind: string, fields: Record<string, unknown>) => ({ op: 'create', kind, fields }) as Change;

function firstChanges(): Change[] {
  return [
    create('application', { name: 'lib' }),
    create('resource_type', { application: 'lib', name: 'doc', actions: ['read', 'write'] }),
    ...DOCS.map((name) => create('resource', { type: 'lib/doc', name })),
    ...SUBJECTS.map((id) => create('subject', { type: 'user', id, properties: { level: 0 } })),
    ...GROUPS.map((name) => create('group', { name })),
    ...ROLES.map((name) => create('role', { name })),
    ...POLICIES.map((name) => create('policy', policy(name))),
    ...Array.from({ length: 300 }, (_, index) => create('subject', { type: 'bot', id: `b${index}` })),
  ];
}

function policy(name: string): Record<string, unknown> {
  const actions = random.some(['read', 'write'], 1 + random.below(2));
  const onAll = random.chance(0.3);
  return {
    application: 'lib',
    name,
    effect: random.chance(0.3) ? 'DENY' : 'ALLOW',
    priority: random.below(3),
    ...(onAll
      ? { resource_type: 'lib/doc', actions }
      : { resources: [{ resource: `lib/doc/${random.pick(DOCS)}`, actions }] }),
    ...(random.chance(0.3) && { condition: 'subject.properties.level > 1' }),
  };
}

/** Links that come and go. */
const present = new Set<string>();
let renamed = 0;

function randomLink(): { address: string; change: Change } {
  const subject = { entity_type: 'subject', entity: `user/${random.pick(SUBJECTS)}` };
  const group = { entity_type: 'group', entity: random.pick(GROUPS) };
  const role = { entity_type: 'role', entity: random.pick(ROLES) };
  const links = [
    ['group_membership', 'group', random.pick(GROUPS), subject],
    ['role_assignment', 'role', random.pick(ROLES), random.pick([subject, group])],
    ['policy_assignment', 'policy', `lib/${random.pick(POLICIES)}`, random.pick([subject, group, role])],
  ] as const;
  const [kind, name, path, entity] = random.pick(links);
  const address = `${kind}/${path}//${entity.entity_type}/${entity.entity}`;
  return { address, change: create(kind, { [name]: path, ...entity }) };
}

function randomChanges(): Change[] {
  const changes = new Map<string, Change>();
  for (let count = 1 + random.below(4); count > 0; count--) {
    const { address, change } = randomLink();
    if (changes.has(address)) continue;
    changes.set(address, present.has(address) ? { op: 'delete', address } : change);
    if (!present.delete(address)) present.add(address);
  }
  if (random.chance(0.3)) {
    const name = random.pick(POLICIES);
    changes.set(name, { op: 'update', address: `policy/lib/${name}`, fields: policy(name) });
  }
  if (random.chance(0.2)) {
    const id = random.pick(SUBJECTS);
    const fields = { type: 'user', id, properties: { level: random.below(4) } };
    changes.set(id, { op: 'update', address: `subject/user/${id}`, fields });
  }
  // A resource of another name: all that mentions it follows, and its id stays.
  if (random.chance(0.1))
    changes.set('move', {
      op: 'move',
      from: `resource/lib/doc/${spare(renamed)}`,
      to: `resource/lib/doc/${spare(++renamed)}`,
    });
  return [...changes.values()];
}

const spare = (number: number) => (number === 0 ? 'spare' : `spare-${number}`);

async function follows(revision: string): Promise<void> {
  await agent.serves(revision);
}

/** Agent and cloud answer every question alike. */
async function answersAlike(): Promise<void> {
  const evaluations = SUBJECTS.flatMap((id) =>
    [...DOCS, spare(renamed)].flatMap((name) =>
      ['read', 'write'].map((action) => ({
        subject: { type: 'user', id },
        resource: { type: 'doc', name },
        action: { name: action },
      })),
    ),
  );
  const url = await agent.url();
  const answers = await Promise.all(
    evaluations.map(async (asked) => {
      const response = await agent.authorize(JSON.stringify(asked));
      const { allowed, context } = await decider.decide(asked as never);
      return [await response.json(), { decision: allowed, context }];
    }),
  );
  for (const [ours, theirs] of answers) expect(ours, `seed ${seed} ${url}`).toEqual(theirs);
}

const activations = () => agent.log.filter(({ msg }) => msg === 'bundle activated').map((line) => line.activated_by);
const status = async () => await new ServiceClient({ url: await agent.url() }).agentStatus();

it(`an agent follows random commits by deltas alone, and answers like the cloud (seed ${seed})`, async () => {
  await follows(
    (await admin.changeset({ changes: [create('resource', { type: 'lib/doc', name: 'spare' })] })).revision,
  );
  const before = activations().length;
  for (let turn = 0; turn < COMMITS; turn++) {
    const { revision } = await admin.changeset({ changes: randomChanges() });
    if (random.chance(0.7)) await follows(revision);
    if (turn % 20 === 19) {
      await follows(revision);
      await answersAlike();
    }
  }
  const { value: newest } = await admin.audit().next();
  expect(await status()).toMatchObject({ digest: newest?.digest, activated_by: 'delta', consecutive_failures: 0 });
  const taken = activations().slice(before);
  expect(taken.length).toBeGreaterThan(COMMITS / 2);
  expect(new Set(taken)).toEqual(new Set(['delta']));
  expect(agent.log.filter(({ level }) => level !== 'INFO')).toEqual([]);
}, 120_000);

it('an agent that was killed comes back with the last delta, without the cloud', async () => {
  const { revision } = await admin.state();
  await agent.kill();
  proxy.refuse();
  agent = startAgent();
  const line = await agent.logged(({ msg }) => msg === 'serving the cached bundle');
  expect(line).toMatchObject({ bundle_revision: revision });
  await answersAlike();
  proxy.heal();
});

it('a cloud that was restarted goes on with deltas, also for who has missed a commit before', async () => {
  const next = async () => (await admin.changeset({ changes: randomChanges() })).revision;
  const restart = async () => {
    cloud.signal('SIGTERM');
    await cloud.exited;
    await startCloud();
  };
  await restart();
  await follows(await next());
  expect((await status()).activated_by).toBe('delta');

  proxy.refuse();
  const missed = await next();
  await restart();
  proxy.heal();
  await follows(missed);
  expect((await status()).activated_by).toBe('delta');
  await answersAlike();
  await until(async () => expect(await status()).toMatchObject({ degraded: false }));
}, 60_000);

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const create = (kind: string, fields: Record<string, unknown>) => ({ op: 'create', kind, fields }) as Change;
const application = (name: string, type: string) => [
  create('application', { name, description: `What ${name} is.` }),
  create('resource_type', { application: name, name: type, actions: ['read', 'pay'], description: 'Notes.' }),
  create('resource', { type: `${name}/${type}`, name: 'ONE' }),
  create('role', { application: name, name: 'reader' }),
  create('policy', {
    application: name,
    name: 'read',
    effect: 'ALLOW',
    resource_type: `${name}/${type}`,
    actions: ['read'],
  }),
  create('policy_assignment', { policy: `${name}/read`, entity_type: 'role', entity: `${name}/reader` }),
];
const member = (group: string, id: string) =>
  create('group_membership', { group, entity_type: 'subject', entity: `user/${id}` });
const RECORDS = [
  ...application('billing', 'invoice'),
  ...application('crm', 'deal'),
  create('policy', {
    application: 'billing',
    name: 'pay',
    effect: 'ALLOW',
    resource_type: 'billing/invoice',
    actions: ['pay'],
    condition: 'subject.properties.limit >= 10',
  }),
  create('policy_assignment', { policy: 'billing/pay', entity_type: 'role', entity: 'billing/reader' }),
  ...['payers', 'sellers', 'idle'].map((name) => create('group', { name, description: 'Notes.' })),
  create('role_assignment', { role: 'billing/reader', entity_type: 'group', entity: 'payers' }),
  create('role_assignment', { role: 'crm/reader', entity_type: 'group', entity: 'sellers' }),
  create('subject', { type: 'user', id: 'alice', name: 'Alice Miller', properties: { limit: 20, salary: 90_000 } }),
  create('subject', { type: 'user', id: 'bob', name: 'Bob Jones', properties: { limit: 5, salary: 80_000 } }),
  member('payers', 'alice'),
  member('sellers', 'bob'),
  member('idle', 'bob'),
];

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let agent: AgentProcess;
let start: () => Promise<AgentProcess>;

const ask = async (subject: string, action: string, type: string, headers: Record<string, string> = {}) => {
  const body = { subject: { type: 'user', id: subject }, action: { name: action }, resource: { type, name: 'ONE' } };
  const answer = await agent.authorize(JSON.stringify(body), headers);
  const { decision, code } = (await answer.json()) as { decision?: boolean; code?: string };
  return decision ?? `${answer.status} ${code}`;
};
const status = async () => (await (await agent.get('/v1/status')).json()) as Record<string, unknown>;
const activations = () => agent.log.filter(({ msg }) => msg === 'bundle activated').length;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-applications-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  await admin.changeset({ changes: RECORDS });
  const { secret } = await admin
    .records('api_key')
    .create({ name: 'agent', scopes: ['bundle'], applications: ['billing'] });
  const env = agentEnv(home, await cloud.url(), {
    SERVICE_API_KEY: String(secret),
    SERVICE_POLL_INTERVAL: '20s',
    SERVICE_CACHE_DIR: join(home, 'cache'),
  });
  start = async () => {
    const started = new AgentProcess({ env });
    await started.healthy((health) => health.status === 'ok');
    return started;
  };
  agent = await start();
}, 60_000);
afterAll(async () => {
  await agent.kill();
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

describe('an agent whose key names its applications', () => {
  it('decides about these as the cloud does, and about no other', async () => {
    expect(await ask('alice', 'read', 'invoice')).toBe(true);
    expect(await ask('alice', 'pay', 'billing/invoice')).toBe(true);
    expect(await ask('bob', 'read', 'invoice')).toBe(false);
    expect(await ask('bob', 'read', 'crm/deal')).toBe('404 unknown_application');
    expect(await ask('bob', 'read', 'deal')).toBe('404 unknown_application');
    expect(await ask('bob', 'read', 'nothing')).toBe(false);
    expect(await status()).toMatchObject({ applications: ['billing'] });
  });

  it('has no record of others, no note, no name of a person and no property that nothing reads', () => {
    const text = readFileSync(join(home, 'cache/bundle.json'), 'utf8');
    expect(text).toContain('"limit":20');
    for (const absent of [
      'salary',
      'Miller',
      'Notes',
      'What billing',
      'sellers',
      'idle',
      '"crm/read"',
      'ONE","type":"crm',
    ])
      expect(text, absent).not.toContain(absent);
  });

  it('learns nothing of a commit outside of them, and counts as enforcing it at once', async () => {
    const before = activations();
    const { revision } = await admin.changeset({ changes: [create('resource', { type: 'crm/deal', name: 'TWO' })] });
    const enforced = await admin.enforced(revision, { timeoutMs: 5000 });
    expect(enforced).toMatchObject({ enforced: true });
    expect(activations()).toBe(before);
    // Whoever made the commit may ask by it all the same.
    expect(await ask('alice', 'read', 'invoice', { 'service-min-revision': revision })).toBe(true);
    expect(await status()).toMatchObject({ revision });
    expect(activations()).toBe(before);
  });

  it('follows a commit inside of them by a delta', async () => {
    const { revision } = await admin.changeset({ changes: [member('payers', 'bob')] });
    await agent.serves(revision);
    expect(agent.log.at(-1)).toMatchObject({ msg: 'bundle activated', activated_by: 'delta', changed_records: 1 });
    expect(await ask('bob', 'read', 'invoice')).toBe(true);
    expect(await ask('bob', 'pay', 'invoice')).toBe(false);
  });

  it('gets by a delta what a change of policies brings into it', async () => {
    const grant = create('policy_assignment', { policy: 'billing/read', entity_type: 'group', entity: 'sellers' });
    const reads = { condition: 'subject.properties.limit >= 10 || subject.properties.salary > 85000' };
    await admin.records('policy').update('billing/pay', reads);
    const { revision } = await admin.changeset({ changes: [grant, member('sellers', 'alice')] });
    await agent.serves(revision);
    expect(agent.log.filter(({ activated_by: by }) => by === 'bundle')).toHaveLength(1);
    expect(await ask('alice', 'read', 'invoice')).toBe(true);
    expect(await ask('bob', 'read', 'invoice')).toBe(true);
  });

  it('serves them from its cache, and goes on with a cloud that was started again', async () => {
    const { revision, digest } = await status();
    await agent.kill();
    agent = await start();
    expect(await status()).toMatchObject({ revision, digest, applications: ['billing'] });
    const { revision: next } = await admin.changeset({
      changes: [create('resource', { type: 'billing/invoice', name: 'TWO' })],
    });
    await agent.serves(next);
    expect(agent.log.at(-1)).toMatchObject({ activated_by: 'delta' });

    const port = Number(new URL(await cloud.url()).port);
    await cloud.kill();
    cloud = new CloudProcess(join(home, 'cloud'), bootstrapEnv(), { port });
    admin = await cloud.client();
    const before = activations();
    const other = await admin.changeset({ changes: [create('resource', { type: 'crm/deal', name: 'THREE' })] });
    expect(await admin.enforced(other.revision, { timeoutMs: 25_000 })).toMatchObject({ enforced: true });
    expect(activations()).toBe(before);
    const own = await admin.changeset({ changes: [create('resource', { type: 'billing/invoice', name: 'THREE' })] });
    await agent.serves(own.revision);
    expect(activations()).toBe(before + 1);
  }, 60_000);

  it('gets all that another application needs once the key names it', async () => {
    await admin.records('api_key').update('agent', { applications: ['billing', 'crm'] });
    await until(async () => expect(await ask('bob', 'read', 'crm/deal')).toBe(true));
    expect(await status()).toMatchObject({ applications: ['billing', 'crm'] });
    await admin.records('api_key').update('agent', { applications: null });
    await until(async () =>
      expect(await status(), JSON.stringify(agent.log.slice(-3))).toMatchObject({ applications: null }),
    );
    expect(await ask('alice', 'read', 'crm/deal')).toBe(true);
  });
});

describe('a key that names applications', () => {
  const creating = (fields: object) =>
    admin.records('api_key').create({ name: 'other', scopes: ['bundle'], ...fields } as never);

  it.each([
    ['one that does not exist', { applications: ['none'] }, '"none" does not exist'],
    ['none', { applications: [] }, 'at least one application'],
    ['beside another scope', { applications: ['crm'], scopes: ['bundle', 'decisions'] }, '"bundle" alone'],
  ])('is refused with %s', async (_what, fields, detail) => {
    await expect(creating(fields)).rejects.toMatchObject({ errors: [{ detail: expect.stringContaining(detail) }] });
  });

  it('keeps them from being removed', async () => {
    await creating({ applications: ['crm'] });
    await expect(admin.changeset({ changes: [{ op: 'delete', address: 'application/crm' }] })).rejects.toThrow();
  });
});

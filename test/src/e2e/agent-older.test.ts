import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Change } from '@authz-service/core/state/change';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { CloudProcess } from './cloud/cloud-process.js';

const BUILT = fileURLToPath(new URL('../../../agent/dist/', import.meta.url));

/**
 * The built agent without the later formats: it knows what an agent of the first format knows. A clone need not have the
 * history that an agent of then could be built from; where one is at hand, SERVICE_OLDER_AGENT names its program.
 */
function olderAgent(folder: string): string {
  const { SERVICE_OLDER_AGENT: given } = process.env;
  if (given !== undefined) return given;
  mkdirSync(folder);
  for (const file of ['service-agent.mjs', 'unpack-thread.js', 'compare-thread.js']) {
    const text = readFileSync(join(BUILT, file), 'utf8');
    const older = text.replace(/BUNDLE_FORMATS=\[[\d,]+\]/, 'BUNDLE_FORMATS=[1]');
    if (file === 'service-agent.mjs') expect(older).not.toBe(text);
    writeFileSync(join(folder, file), older);
  }
  return join(folder, 'service-agent.mjs');
}

const create = (kind: string, fields: Record<string, unknown>) => ({ op: 'create', kind, fields }) as Change;
const assigned = (subject: string, more: object = {}) =>
  create('role_assignment', { role: 'reader', entity_type: 'subject', entity: `user/${subject}`, ...more });

const FIRST = [
  create('application', { name: 'billing' }),
  create('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }),
  create('resource', { type: 'billing/invoice', name: 'INV-1' }),
  create('policy', { name: 'read', effect: 'ALLOW', resource_type: 'billing/invoice', actions: ['read'] }),
  create('role', { name: 'reader' }),
  create('policy_assignment', { policy: 'read', entity_type: 'role', entity: 'reader' }),
  ...['alice', 'bob', 'carol'].map((id) => create('subject', { type: 'user', id })),
  assigned('alice'),
];
/** Format 1 cannot say it. */
const ON_A_RESOURCE = assigned('bob', { resource: 'billing/invoice/INV-1' });

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let agent: AgentProcess;
let startAgent: () => AgentProcess;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-older-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  await admin.changeset({ changes: FIRST });
  const { secret } = await admin.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
  const program = olderAgent(join(home, 'older'));
  const env = agentEnv(home, await cloud.url(), {
    SERVICE_API_KEY: String(secret),
    SERVICE_POLL_INTERVAL: '1s',
    SERVICE_CACHE_DIR: join(home, 'cache'),
  });
  startAgent = () => new AgentProcess({ program, env });
  agent = startAgent();
}, 60_000);
afterAll(async () => {
  await agent.kill();
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

const allowed = () => Promise.all(['alice', 'bob', 'carol'].map((subject) => agent.allows(subject)));
const logged = (text: RegExp) => agent.logged(({ error }) => text.test(String(error)));

describe('an agent of the first format beside a newer cloud', () => {
  it('follows a tenant that uses nothing new, by deltas', async () => {
    await agent.healthy(({ status }) => status === 'ok');
    const { revision } = await admin.changeset({ changes: [assigned('carol')] });
    await agent.serves(revision);
    expect(agent.log.at(-1)).toMatchObject({ msg: 'bundle activated', activated_by: 'delta' });
    expect(await allowed()).toEqual([true, false, true]);
  });

  it('refuses a delta and a bundle that say more, names their format, and keeps its last revision', async () => {
    const { bundle_revision } = await agent.health();
    await admin.changeset({
      changes: [ON_A_RESOURCE, { op: 'delete', address: 'role_assignment/reader//subject/user/carol' }],
    });
    await logged(/^The delta has format 2; this program reads format.* 1.*: update the older of the two\.$/);
    await logged(/^The bundle has format 2; this program reads format.* 1.*: update the older of the two\.$/);
    expect(await agent.healthy(({ degraded }) => degraded)).toMatchObject({ status: 'degraded', bundle_revision });
    expect(await allowed()).toEqual([true, false, true]);
  });

  it('serves that revision from its cache when it is started again', async () => {
    const { bundle_revision } = await agent.health();
    await agent.kill();
    agent = startAgent();
    await logged(/^The bundle has format 2/);
    expect(await agent.health()).toMatchObject({ bundle_revision });
    expect(await allowed()).toEqual([true, false, true]);
  });

  it('goes on by itself once the tenant uses nothing new again', async () => {
    const address = 'role_assignment/reader//subject/user/bob//billing/invoice/INV-1';
    const { revision } = await admin.changeset({ changes: [{ op: 'delete', address }] });
    await agent.serves(revision);
    await until(async () => expect(await allowed()).toEqual([true, false, false]));
  });

  it('keeps its last revision while somebody is suspended, which it could not enforce', async () => {
    const { bundle_revision } = await agent.health();
    await admin.records('subject').update('user/alice', { suspended: true });
    await logged(/^The bundle has format 4/);
    expect(await agent.healthy(({ degraded }) => degraded)).toMatchObject({ bundle_revision });
    await admin.records('subject').update('user/alice', { suspended: null });
    const { revision } = await admin.changeset({ changes: [assigned('carol')] });
    await agent.serves(revision);
    await until(async () => expect(await allowed()).toEqual([true, false, true]));
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BundleTenant } from '@authz-service/core/bundle/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { deltaBetween } from './agent/tenant-delta.js';
import { bundleOf, type TenantOptions, tenant } from './agent/tenant-fixture.js';

/** As many subjects as make a bundle large, and fewer by more than is changed in place. */
const BALLAST = 45_000;
const FAR_FEWER = 43_900;

let home: string;
let cloud: ScriptedCloud;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-large-'));
  cloud = await ScriptedCloud.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

function start(more: Record<string, string> = {}): AgentProcess {
  const env = agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '50ms', SERVICE_LOG_LEVEL: 'debug', ...more });
  const agent = new AgentProcess({ env });
  running.push(agent);
  return agent;
}

const large = (options: TenantOptions) => tenant({ ballast: BALLAST, ...options });
const cached = (name: string) => join(home, '.service', 'bundles', name);
const activated = (agent: AgentProcess, { revision }: BundleTenant) =>
  agent.logged(({ msg, bundle_revision }) => msg === 'bundle activated' && bundle_revision === revision);

async function serving(state: BundleTenant, more: Record<string, string> = {}): Promise<AgentProcess> {
  await cloud.serve(bundleOf(state));
  const agent = start(more);
  await agent.serves(state.revision);
  return agent;
}

/** From now on there is only this delta for callers that have its base. */
async function offer(from: BundleTenant, to: BundleTenant): Promise<void> {
  const archive = await deltaBetween(cloud.signer, from, to);
  cloud.answer((request, response) => {
    if (request.headers['if-none-match'] !== `"${from.revision}"`)
      response.writeHead(304, { etag: `"${to.revision}"` }).end();
    else
      response
        .writeHead(226, { 'content-type': 'application/gzip', im: 'policy-delta', etag: `"${to.revision}"` })
        .end(archive);
  });
}

describe('an agent that serves a large bundle takes another', () => {
  it('by changing what differs, and comes back with it', async () => {
    const [one, two] = [large({ readers: ['alice', 'bob'] }), large({ revision: 2, readers: ['bob', 'carol'] })];
    const agent = await serving(one);
    await cloud.serve(bundleOf(two));
    await agent.serves(two.revision);
    // For each one that comes or goes: the subject and its two assignments.
    expect(await activated(agent, two)).toMatchObject({ activated_by: 'bundle', changed_records: 6 });
    expect(await Promise.all(['alice', 'bob', 'carol'].map((id) => agent.allows(id)))).toEqual([false, true, true]);
    await agent.kill();
    await cloud.refuse();
    const next = start();
    const line = await next.logged(({ msg }) => msg === 'serving the cached bundle');
    expect(line).toMatchObject({ bundle_revision: two.revision, deltas: 0 });
    expect(await next.allows('carol')).toBe(true);
  });

  it('by changing what differs since the deltas that came before', async () => {
    const [one, two] = [large({ readers: ['alice'] }), large({ revision: 2, readers: ['alice', 'bob'] })];
    const three = large({ revision: 3, readers: ['bob', 'carol'] });
    const agent = await serving(one);
    await offer(one, two);
    await agent.serves(two.revision);
    expect(await activated(agent, two)).toMatchObject({ activated_by: 'delta', changed_records: 3 });
    await cloud.serve(bundleOf(three));
    await agent.serves(three.revision);
    expect(await activated(agent, three)).toMatchObject({ activated_by: 'bundle', changed_records: 6 });
    expect(await Promise.all(['alice', 'bob', 'carol'].map((id) => agent.allows(id)))).toEqual([false, true, true]);
  });

  it('as a whole where it differs in more than is changed at once', async () => {
    const [one, two] = [large({}), large({ revision: 2, ballast: FAR_FEWER, readers: ['bob'] })];
    const agent = await serving(one);
    await cloud.serve(bundleOf(two));
    await agent.serves(two.revision);
    expect(await activated(agent, two)).not.toHaveProperty('changed_records');
    expect(await Promise.all(['alice', 'bob'].map((id) => agent.allows(id)))).toEqual([false, true]);
  });

  it('as a whole where its cache is not what it wrote', async () => {
    const [one, two] = [large({}), large({ revision: 2, readers: ['bob'] })];
    const agent = await serving(one);
    const bytes = readFileSync(cached('bundle.json'), 'utf8');
    writeFileSync(cached('bundle.json'), bytes.replace('"id":"subject/user/alice"', '"id":"subject/user/alicf"'));
    expect(readFileSync(cached('bundle.json'), 'utf8')).not.toBe(bytes);
    await cloud.serve(bundleOf(two));
    await agent.serves(two.revision);
    expect(await activated(agent, two)).not.toHaveProperty('changed_records');
    expect(agent.log.some(({ error }) => /is not what was written there/.test(String(error)))).toBe(true);
    expect(await agent.allows('bob')).toBe(true);
  });

  it('as a whole where no file can be written', async () => {
    const [one, two] = [large({}), large({ revision: 2, readers: ['bob'] })];
    writeFileSync(join(home, 'in-the-way'), '');
    const agent = await serving(one, { SERVICE_CACHE_DIR: join(home, 'in-the-way', 'cache') });
    await cloud.serve(bundleOf(two));
    await agent.serves(two.revision);
    expect(await activated(agent, two)).not.toHaveProperty('changed_records');
    expect(await Promise.all(['alice', 'bob'].map((id) => agent.allows(id)))).toEqual([false, true]);
  });

  it('once it is whole: what is cut off, no archive, older or of another tenant changes nothing', async () => {
    const [one, two] = [large({ revision: 2 }), large({ revision: 3, readers: ['bob'] })];
    const agent = await serving(one);
    const archive = await cloud.signer.pack(bundleOf(two));
    const bodies: [string, Buffer, RegExp][] = [
      ['cut off', archive.subarray(0, archive.length >> 1), /not a whole gzip file/],
      ['no archive', gzipSync(Buffer.alloc(9_999_999, 'no archive')), /header of the archive|not a whole gzip file/],
      ['older', await cloud.signer.pack(bundleOf(large({ revision: 1, readers: ['bob'] }))), /older/],
      ['of another tenant', await cloud.signer.pack(bundleOf(large({ revision: 3, id: 'tenant-2' }))), /tenant-2/],
    ];
    for (const [name, body, said] of bodies) {
      cloud.answer((_, response) => response.writeHead(200, { 'content-type': 'application/gzip' }).end(body));
      const line = await agent.logged(({ msg, error }) => msg === 'bundle sync failed' && said.test(String(error)));
      expect(line.error, name).toMatch(said);
      expect(await agent.health(), name).toMatchObject({ status: 'degraded', bundle_revision: one.revision });
    }
    expect([await agent.allows('alice'), await agent.allows('bob')]).toEqual([true, false]);
    await cloud.serve(bundleOf(two));
    await agent.serves(two.revision);
    expect(await activated(agent, two)).toMatchObject({ changed_records: 6 });
  });
});

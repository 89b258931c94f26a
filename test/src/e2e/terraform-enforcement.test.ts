/** An apply that ends once agents enforce it, by the real Terraform and real agents. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ADMINISTRATOR, CloudProcess } from './cloud/cloud-process.js';
import { PROVIDER } from './terraform/product.js';
import { hasTerraform, Workspace } from './terraform/workspace.js';

describe.skipIf(!hasTerraform)('an apply with wait_for', { timeout: 120_000 }, () => {
  let home: string;
  let cloud: CloudProcess;
  let admin: ServiceClient;
  let workspace: Workspace;
  let agents: AgentProcess[];

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'terraform-enforcement-'));
    cloud = new CloudProcess(join(home, 'cloud'));
    admin = await cloud.client();
    const { secret } = await admin.records('api_key').create({ name: 'fleet', scopes: ['bundle'] });
    const url = await cloud.url();
    agents = ['one', 'two'].map((name) => {
      const own = { SERVICE_API_KEY: String(secret), SERVICE_CACHE_DIR: join(home, name) };
      return new AgentProcess({ env: agentEnv(home, url, own) });
    });
    await until(async () => expect(await admin.agents()).toMatchObject({ total: 2, enforcing: 2 }));
    workspace = new Workspace({
      providers: { service: PROVIDER },
      env: {
        SERVICE_CLOUD_URL: url,
        SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
        SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
      },
    });
  }, 120_000);
  afterEach(async () => {
    await Promise.all([...agents, cloud].map((one) => one.kill()));
    workspace.remove();
    rmSync(home, { recursive: true, force: true });
  });

  const provider = (more: string) => `provider "service" {\n  stack = "mine"\n  wait_for = "enforced"\n${more}\n}\n`;
  const group = (label: string, description: string) =>
    `resource "service_group" "${label}" {\n  name = "${label}"\n  description = "${description}"\n}\n`;
  const key = 'resource "service_api_key" "k" {\n  name = "k"\n  scopes = ["bundle"]\n}\n';
  const served = () => Promise.all(agents.map(async (agent) => (await agent.health()).bundle_revision));
  const freeze = (signal: 'SIGSTOP' | 'SIGCONT') => process.kill(agents[0]?.pid ?? 0, signal);
  const ids = async () =>
    Object.fromEntries((await admin.state()).records.map(({ address, id }) => [address, id] as const));

  it('ends once all agents enforce it', async () => {
    workspace.write(provider('') + group('a', 'first') + key);
    await workspace.apply();
    const { revision } = await admin.state();
    expect(await served()).toEqual([revision, revision]);
    workspace.write(provider(''));
    await workspace.apply();
    const after = (await admin.state()).revision;
    expect(after).not.toBe(revision);
    expect(await served()).toEqual([after, after]);
  });

  it('fails and names the agent that does not, whatever is done, and loses and replaces nothing', async () => {
    const short = provider('  wait_timeout = "2s"');
    workspace.write(short + group('a', 'first') + group('b', 'first'));
    await workspace.apply();
    const id = (await admin.agents()).agents.map((agent) => agent.id);
    freeze('SIGSTOP');
    try {
      workspace.write(short + group('a', 'second') + group('c', 'first') + key);
      const text = await workspace.fails('apply', '-auto-approve');
      expect(text).toMatch(
        /Not enforced by all agents .*wait_for = "enforced": revision [\w.]+ was not enforced everywhere within 2s; 1 of 2 agents may decide by an earlier one: - \S+ \([0-9a-f-]{36}\) serves [\w.]+, last seen /,
      );
      expect(id.filter((one) => text.includes(one))).toHaveLength(1);
      // It was made all the same; the key needs no agent, and its secret is kept.
      const made = await ids();
      expect(Object.keys(made)).toEqual(expect.arrayContaining(['group/a', 'group/c', 'api_key/k']));
      expect(made).not.toHaveProperty('group/b');
      freeze('SIGCONT');
      expect(await workspace.apply()).toContain('1 added, 0 changed, 0 destroyed');
      expect(await ids()).toEqual(made);
      await workspace.isSettled();
      const { revision } = await admin.state();
      expect(await served()).toEqual([revision, revision]);
    } finally {
      freeze('SIGCONT');
    }
  });

  it.each([
    ['wait_for = "all"', /Invalid wait_for .*"all" must be "enforced"/],
    ['stack = "mine"\n  wait_timeout = "5m"', /Invalid wait_timeout .*nothing waits without wait_for = "enforced"/],
    [
      'stack = "mine"\n  wait_for = "enforced"\n  wait_timeout = "soon"',
      /Invalid wait_timeout .*"soon" must be a duration/,
    ],
    ['wait_for = "enforced"', /Stack missing .*give the configuration a name/],
  ])('is refused with %s', async (settings, refusal) => {
    workspace.write(`provider "service" {\n  ${settings}\n}\n${group('a', 'first')}`);
    expect(await workspace.fails('plan')).toMatch(refusal);
  });
});

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AgentList } from '@authz-service/sdk/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { PROGRAM } from './cli/workbench.js';
import { ADMINISTRATOR, CloudProcess } from './cloud/cloud-process.js';

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;
const agents: AgentProcess[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-fleet-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
}, 60_000);
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.kill()));
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

const secrets: string[] = [];

async function start(name: string): Promise<AgentProcess> {
  const [secret = String((await admin.records('api_key').create({ name: 'fleet', scopes: ['bundle'] })).secret)] =
    secrets;
  secrets[0] = secret;
  const env = agentEnv(home, await cloud.url(), { SERVICE_API_KEY: secret, SERVICE_CACHE_DIR: join(home, name) });
  const agent = new AgentProcess({ env });
  agents.push(agent);
  return agent;
}

const listed = (wanted: (list: AgentList) => boolean) =>
  until(async () => {
    const list = await admin.agents();
    if (!wanted(list)) throw new Error(`not yet: ${JSON.stringify(list)}`);
    return list;
  });

describe('agents of the real cloud', () => {
  it('report the revision that they serve, and keep their ids', async () => {
    const first = await start('one');
    await start('two');
    const before = await listed(({ enforcing }) => enforcing === 2);
    const { revision } = await admin.changeset({
      changes: [{ op: 'create', kind: 'group', fields: { name: 'staff' } }],
    });
    const after = await listed((list) => list.revision === revision && list.enforcing === 2);
    const ids = (list: AgentList) => list.agents.map(({ id }) => id).sort();
    expect(ids(after)).toEqual(ids(before));

    await first.kill();
    await start('one');
    const seen = Math.max(...after.agents.map(({ last_seen: at }) => Date.parse(at)));
    const again = await listed(({ agents: all }) => all.some(({ last_seen: at }) => Date.parse(at) > seen));
    expect(ids(again)).toEqual(ids(before));

    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'agents'], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SERVICE_CLOUD_URL: await cloud.url(),
        SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
        SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
      },
    });
    const [heading, ...rows] = stdout.trim().split('\n');
    expect(heading).toMatch(/^name +revision +behind +last seen/);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toContain(revision);

    expect(await admin.agents()).toMatchObject({ enforced: true, complete: true });
    const headers = { authorization: `Bearer ${secrets[0]}` };
    expect((await fetch(`${await cloud.url()}/v1/policies/bundle`, { headers })).status).toBe(200);
    expect(await admin.agents()).toMatchObject({ total: 2, enforcing: 2, enforced: false, complete: false });
  }, 60_000);
});

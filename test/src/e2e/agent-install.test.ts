import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** How npm says that no registry can be reached and its cache does not have everything. */
const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/** The workspaces that it is made of. */
const AGENT = ['core', 'pdp', 'sdk/node', 'embedded', 'agent'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-install-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(cwd: string, ...args: string[]) {
  const done = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  return { ok: done.status === 0, text: `${done.stdout}${done.stderr}` };
}

describe('the agent in a folder of its own', () => {
  it('installs with nothing of the cloud, the provider or the CLI, and answers', async (context) => {
    const packed = npm(root, 'pack', '--pack-destination', folder, ...AGENT.flatMap((name) => ['-w', name]));
    expect(packed.ok, packed.text).toBe(true);
    const place = join(folder, 'place');
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{"private":true}');
    const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    expect(tarballs).toHaveLength(AGENT.length);
    const installed = npm(
      place,
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--omit=dev',
      ...tarballs.map((name) => join(folder, name)),
    );
    if (!installed.ok && OFFLINE.test(installed.text)) {
      console.warn(`NOT TESTED: the agent's installation, for want of a registry:\n${installed.text}`);
      context.skip('no package registry can be reached');
    }
    expect(installed.ok, installed.text).toBe(true);

    const modules = join(place, 'node_modules');
    expect(readdirSync(join(modules, '@authz-service')).sort()).toEqual(['agent', 'core', 'embedded', 'pdp', 'sdk']);
    const names = readdirSync(modules);
    for (const foreign of ['express', 'sqlite3', 'knex', '@oclif', 'cdktf', 'constructs']) {
      expect(names).not.toContain(foreign);
    }

    // As a shell starts it, by its first line.
    const started = spawnSync(join(modules, '.bin', 'service-agent'), ['--version'], { encoding: 'utf8' });
    expect([started.stderr, started.stdout]).toEqual(['', expect.stringMatching(/^0\.1\.0( \([0-9a-f]{12}\))?\n$/)]);

    const cloud = await ScriptedCloud.start();
    await cloud.serve(bundleOf(tenant({})));
    const agent = new AgentProcess({
      program: join(modules, '@authz-service', 'agent', 'bin', 'service-agent.js'),
      env: agentEnv(folder, cloud.url, { SERVICE_POLL_INTERVAL: '50ms' }),
    });
    try {
      await agent.healthy(({ status }) => status === 'ok');
      expect(await agent.allows('alice')).toBe(true);
    } finally {
      await agent.kill();
      await cloud.stop();
    }
  }, 180_000);
});

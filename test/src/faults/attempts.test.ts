import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AgentProcess, agentEnv } from '../e2e/agent/agent-process.js';
import { ScriptedCloud } from '../e2e/agent/scripted-cloud.js';
import { bundleOf, tenant } from '../e2e/agent/tenant-fixture.js';

it('an agent that ends three times while it takes in a bundle serves what it has after that, says why, and takes the next chance', async () => {
  const home = mkdtempSync(join(tmpdir(), 'attempts-'));
  const cloud = await ScriptedCloud.start();
  const first = bundleOf(tenant({ revision: 1, readers: ['alice'] }));
  const large = bundleOf(tenant({ revision: 2, readers: ['bob'], ballast: 40_000 }));
  const noted = join(home, 'activating.json');
  const attempts = () => {
    try {
      return JSON.parse(readFileSync(noted, 'utf8')).inVain as number;
    } catch {
      return 0;
    }
  };
  const agents: AgentProcess[] = [];
  const start = (env: Record<string, string> = {}) => {
    const agent = new AgentProcess({
      env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '1s', SERVICE_CACHE_DIR: home, ...env }),
    });
    agents.push(agent);
    return agent;
  };
  try {
    await cloud.serve(first);
    const whole = start();
    await whole.serves(first.revision);
    await whole.kill();
    await cloud.serve(large);
    for (let time = 1; time <= 3; time++) {
      const dies = start();
      // As the system ends a process that uses too much memory.
      while (attempts() !== time) await new Promise(setImmediate);
      await dies.kill();
      expect(attempts()).toBe(time);
    }

    const rests = start();
    const line = await rests.logged(({ msg }) => msg === 'bundle sync failed');
    expect(line.error).toMatch(/^The agent ended 3 times .*--max-old-space-size=MIB.*remove activating\.json/);
    expect(await rests.health()).toMatchObject({ bundle_revision: first.revision, degraded: true });
    expect(await rests.allows('alice')).toBe(true);
    await rests.kill();

    const larger = start({ NODE_OPTIONS: '--max-old-space-size=777' });
    await larger.serves(large.revision);
    expect(attempts()).toBe(0);
  } finally {
    await Promise.all(agents.map((agent) => agent.kill()));
    await cloud.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

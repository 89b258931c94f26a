import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';

it.runIf(process.platform === 'linux')('the other threads of an agent give way to the one that answers', async () => {
  const home = mkdtempSync(join(tmpdir(), 'agent-e2e-'));
  const cloud = await ScriptedCloud.start();
  await cloud.refuse();
  const agent = new AgentProcess({ env: agentEnv(home, cloud.url) });
  try {
    await agent.healthy(() => true);
    const threads = readdirSync(`/proc/${agent.pid}/task`).map(Number);
    const own = getPriority(agent.pid);
    const behind = threads.filter((thread) => getPriority(thread) > own);
    // Those of V8 and of libuv, four each.
    expect(behind.length).toBeGreaterThanOrEqual(8);
  } finally {
    await agent.kill();
    await cloud.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { AgentProcess, agentEnv } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';

const MIB = 1024 * 1024;

/** Loaded into the agent: once told to, it keeps many new objects alive, and says how large the nursery is then. */
const PROBE = `
import { getHeapSpaceStatistics } from 'node:v8';
process.on('SIGUSR2', () => {
  const living = Array.from({ length: 1_000_000 }, (_, at) => ({ at }));
  const nursery = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  process.stderr.write(JSON.stringify({ msg: 'nursery', nursery, living: living.length }) + '\\n');
});
`;

it('the nursery of an agent stays small, however much lives', async () => {
  const home = mkdtempSync(join(tmpdir(), 'agent-e2e-'));
  const probe = join(home, 'probe.mjs');
  writeFileSync(probe, PROBE);
  const cloud = await ScriptedCloud.start();
  await cloud.refuse();
  const agent = new AgentProcess({
    env: { ...agentEnv(home, cloud.url), NODE_OPTIONS: `--import ${pathToFileURL(probe)}` },
  });
  try {
    await agent.healthy(() => true);
    agent.signal('SIGUSR2');
    expect((await agent.logged(({ msg }) => msg === 'nursery')).nursery).toBe(8 * MIB);
  } finally {
    await agent.kill();
    await cloud.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

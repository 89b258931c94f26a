import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type RunningAgent, startAgent } from '@authz-service/agent/agent';
import { loadConfig } from '@authz-service/agent/config';
import { createLog } from '@authz-service/agent/log';
import { LineWriter } from '@authz-service/pdp/sinks/line-writer';
import { expect, vi } from 'vitest';
import { agentEnv } from '../e2e/agent/agent-process.js';

/** An agent in this process that has pulled its tenant's bundle from the cloud; `home` is a folder of its own. */
export async function startReadyAgent(cloudUrl: string, apiKey: string, home: string): Promise<RunningAgent> {
  const { config, faults } = loadConfig({
    env: agentEnv(home, cloudUrl, { SERVICE_API_KEY: apiKey, SERVICE_CACHE_DIR: join(home, 'bundles') }),
    cwd: home,
  });
  if (config === undefined) expect.fail(faults.join('\n'));
  const silent = new LineWriter(new Writable({ write: (_chunk, _encoding, done) => done() }));
  const agent = await startAgent(config, { log: createLog(config.logLevel, silent), decisions: silent });
  await vi.waitUntil(async () => (await fetch(`${agent.url}/readyz`)).ok, { timeout: 10_000 });
  return agent;
}

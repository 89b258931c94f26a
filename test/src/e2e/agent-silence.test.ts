import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

type Silence = (request: IncomingMessage, response: ServerResponse, archive: Buffer) => void;

describe.concurrent('a cloud that falls silent', () => {
  it.each<[string, Silence]>([
    ['before its answer', () => {}],
    [
      'in the middle of its answer',
      (_, response, archive) => {
        response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': archive.length });
        response.write(archive.subarray(0, archive.length / 2));
      },
    ],
  ])(
    '%s holds up no decision and is given up',
    async (_, silence) => {
      const home = mkdtempSync(join(tmpdir(), 'agent-silence-'));
      const cloud = await ScriptedCloud.start();
      await cloud.serve(bundleOf(tenant({ revision: 1 })));
      const agent = new AgentProcess({
        env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '50ms' }),
      });
      try {
        await agent.healthy(({ status }) => status === 'ok');
        const next = bundleOf(tenant({ revision: 2, readers: ['bob'] }));
        const archive = await cloud.signer.pack(next);
        const before = cloud.requests.length;
        cloud.answer((request, response) => silence(request, response, archive));
        await until(() => expect(cloud.requests.length).toBeGreaterThan(before));
        const asked = cloud.requests.length;
        expect(await agent.allows('alice')).toBe(true);
        expect(await agent.health()).toMatchObject({ status: 'ok', consecutive_failures: 0 });

        await agent.healthy(({ status }) => status === 'degraded');
        expect(cloud.requests.length - asked).toBeLessThanOrEqual(1);
        expect((await agent.logged(({ level }) => level === 'WARN')).error).toMatch(/was silent for 10 s/);
        expect(await agent.allows('alice')).toBe(true);

        // Ends the poll that waits in vain by now.
        await cloud.refuse();
        await cloud.serve(next);
        await cloud.listen();
        await agent.serves(next.revision);
      } finally {
        await agent.kill();
        await cloud.stop();
        rmSync(home, { recursive: true, force: true });
      }
    },
    60_000,
  );
});

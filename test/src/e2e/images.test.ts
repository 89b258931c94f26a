import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';
import { endContained, freePort, hasBubblewrap, Image } from './images/image.js';

if (!hasBubblewrap) console.warn('NOT TESTED: the images in a container, for want of bubblewrap (bwrap)');

/** The most that each image may take, unpacked. */
const BYTES_MAX = { agent: 130e6, cloud: 180e6 };

let folder: string;
let agentImage: Image;
let cloudImage: Image;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-images-'));
  agentImage = new Image('agent', folder);
  cloudImage = new Image('cloud', folder);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the images', () => {
  it('hold Node, the program and certificates, and no shell', () => {
    for (const image of [agentImage, cloudImage]) {
      expect(image.programs).toEqual(['node']);
      expect(image.bytes).toBeLessThan(BYTES_MAX[image.name]);
    }
  });

  it.skipIf(!hasBubblewrap)(
    'work as their user on a root that cannot be written, and stop when they are told',
    async () => {
      const [cloudPort, agentPort] = [await freePort(), await freePort()];
      const [cloudAddress, agentAddress] = [`127.0.0.1:${cloudPort}`, `127.0.0.1:${agentPort}`];
      expect(await cloudImage.healthCheck(cloudAddress)).toBe(1);
      const cloud = new CloudProcess('/data', bootstrapEnv(), { command: cloudImage.command, port: cloudPort });
      let agent: AgentProcess | undefined;
      try {
        const client = await cloud.client();
        await client.changeset({
          changes: [
            { op: 'create', kind: 'application', fields: { name: 'billing' } },
            {
              op: 'create',
              kind: 'resource_type',
              fields: { application: 'billing', name: 'invoice', actions: ['read'] },
            },
            { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
            { op: 'create', kind: 'policy', fields: READ },
            { op: 'create', kind: 'policy_assignment', fields: { policy: 'billing/read', ...ALICE } },
          ],
        });
        expect(await cloudImage.healthCheck(cloudAddress)).toBe(0);
        expect(cloudImage.data).toContain('cloud.sqlite');

        const { secret } = await client.records('api_key').create({ name: 'agent', scopes: ['bundle'] });
        agent = new AgentProcess({
          command: agentImage.command,
          env: agentEnv(folder, await cloud.url(), {
            ...{ SERVICE_API_KEY: String(secret), SERVICE_LISTEN_ADDR: agentAddress, SERVICE_CACHE_DIR: '/data' },
          }),
        });
        const running = agent;
        await until(() => running.healthy(({ status }) => status === 'ok'));
        expect(await agent.allows('alice')).toBe(true);
        expect(await agentImage.healthCheck(agentAddress)).toBe(0);
        expect(agentImage.data).not.toEqual([]);

        for (const process of [agent, cloud]) {
          endContained(process.pid);
          expect(await process.exited).toMatchObject({ code: 0 });
        }
      } finally {
        await agent?.kill();
        await cloud.kill();
      }
    },
    60_000,
  );
});

const READ = {
  ...{ application: 'billing', name: 'read', effect: 'ALLOW' },
  ...{ resource_type: 'billing/invoice', actions: ['read'] },
};
const ALICE = { entity_type: 'subject', entity: 'user/alice' };

import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPdp } from '@authz-service/embedded';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from './agent/agent-process.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const ASKED = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
};
const READS = { policy: 'billing/read', entity_type: 'subject', entity: 'user/alice' };

let home: string;
let cloud: CloudProcess;
let admin: ServiceClient;
let apiKey: string;
const running: EmbeddedPdp[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'embedded-cloud-'));
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  const policy = {
    application: 'billing',
    name: 'read',
    effect: 'ALLOW',
    resource_type: 'billing/invoice',
    actions: ['read'],
  };
  await admin.changeset({
    changes: [
      { op: 'create', kind: 'application', fields: { name: 'billing' } },
      {
        op: 'create',
        kind: 'resource_type',
        fields: { application: 'billing', name: 'invoice', actions: ['read'], max_age: '10m' },
      },
      { op: 'create', kind: 'policy', fields: policy },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
      { op: 'create', kind: 'policy_assignment', fields: READS },
    ],
  });
  const { secret } = await admin.records('api_key').create({ name: 'embedded', scopes: ['bundle'] });
  apiKey = String(secret);
}, 60_000);
afterEach(async () => {
  await Promise.all(running.splice(0).map((pdp) => pdp.stop()));
});
afterAll(async () => {
  await cloud.kill();
  rmSync(home, { recursive: true, force: true });
});

async function start(cacheDir: string, more: object = {}): Promise<EmbeddedPdp> {
  const options = { cloudUrl: await cloud.url(), apiKey, cacheDir: join(home, cacheDir), pollIntervalMs: 50, ...more };
  const pdp = await EmbeddedPdp.start(options);
  running.push(pdp);
  return pdp;
}

/** Starts the cloud anew, where it was. */
async function startAgain(): Promise<void> {
  const { port } = new URL(await cloud.url());
  cloud = new CloudProcess(join(home, 'cloud'), bootstrapEnv(), { port: Number(port) });
  admin = await cloud.client();
}

/** Takes back what alice has, or gives it again. */
async function give(allowed: boolean): Promise<string> {
  const address = 'policy_assignment/billing/read//subject/user/alice';
  const change = allowed
    ? ({ op: 'create', kind: 'policy_assignment', fields: READS } as const)
    : ({ op: 'delete', address } as const);
  return String((await admin.changeset({ changes: [change] })).revision);
}

describe('a decision point inside the process, of the real cloud', () => {
  it('decides once it is started, and follows what is committed', async () => {
    const pdp = await start('follows');
    const served: string[] = [];
    pdp.events.on('revision', (revision) => served.push(revision));
    expect(pdp.isAllowed(ASKED)).toBe(true);
    expect(pdp.decide(ASKED)).toMatchObject({ allowed: true, accessPath: 'direct', revision: pdp.revision });
    const revision = await give(false);
    await until(() => expect(served).toContain(revision));
    expect(pdp.isAllowed(ASKED)).toBe(false);
    await give(true);
    await until(() => expect(pdp.isAllowed(ASKED)).toBe(true));
  });

  it('goes on where listeners and the log throw', async () => {
    const fails = () => {
      throw new Error('no');
    };
    const pdp = await start('throws', { log: { debug: fails, info: fails, warn: fails, error: fails } });
    for (const event of ['revision', 'degraded', 'recovered'] as const) pdp.events.on(event, fails);
    await give(false);
    await until(() => expect(pdp.isAllowed(ASKED)).toBe(false));
    await cloud.kill();
    await until(() => expect(pdp.status()).toMatchObject({ degraded: true }));
    await startAgain();
    await give(true);
    await until(() => expect(pdp.isAllowed(ASKED)).toBe(true));
  });

  it('reports to the fleet, so that a commit can be waited for until it is enforced', async () => {
    await start('reports');
    const revision = await give(false);
    await until(async () => expect((await admin.agents({ enforces: revision })).enforcing).toBeGreaterThan(0));
    await give(true);
  });

  it('goes on without the cloud, says that it is degraded, and starts from its cache', async () => {
    const pdp = await start('alone');
    const said: string[] = [];
    pdp.events.on('degraded', (error) => said.push(`degraded ${error?.code}`));
    pdp.events.on('recovered', () => said.push('recovered'));
    await cloud.kill();
    await until(() => expect(said).toEqual(['degraded network']));
    expect(pdp.isAllowed(ASKED)).toBe(true);
    expect(pdp.status()).toMatchObject({ status: 'degraded', degraded: true });
    await pdp.stop();
    const again = await EmbeddedPdp.start({
      cloudUrl: pdp.status()?.source.url,
      apiKey,
      cacheDir: join(home, 'alone'),
      pollIntervalMs: 50,
    });
    running.push(again);
    expect(again.isAllowed(ASKED)).toBe(true);
    await startAgain();
    await until(() => expect(again.status()).toMatchObject({ degraded: false }));
  });

  it('decides rightly where two share a folder by mistake, and says so where one finds what it did not write', async () => {
    const lines: string[] = [];
    const line = (fields: unknown, text = '') => void lines.push(`${JSON.stringify(fields)} ${text}`);
    const log = { debug: () => {}, info: () => {}, warn: line, error: line };
    const both = [await start('shared', { log }), await start('shared', { log })];
    for (const allowed of [false, true, false, true]) {
      await give(allowed);
      await until(() => expect(both.map((pdp) => pdp.isAllowed(ASKED))).toEqual([allowed, allowed]));
    }
    // Two that write the same at the same moment leave a whole file. Here another one is ahead.
    for (const file of readdirSync(join(home, 'shared')))
      if (file.startsWith('deltas-')) appendFileSync(join(home, 'shared', file), 'svc');
    await give(false);
    await until(() =>
      expect(lines.join('\n')).toContain('another process writes there, too: give each agent its own cacheDir'),
    );
    await until(() => expect(both.map((pdp) => pdp.isAllowed(ASKED))).toEqual([false, false]));
    await give(true);
    await Promise.all(both.map((pdp) => pdp.stop()));
    const third = await start('shared');
    await until(() => expect(third.isAllowed(ASKED)).toBe(true));
  });

  it('decides nothing past its maximum age', async () => {
    const pdp = await start('aged', { maxAgeMs: 1_000 });
    expect(pdp.isAllowed(ASKED)).toBe(true);
    await cloud.kill();
    await until(() => expect(pdp.decide(ASKED, { orDeny: true }).error).toMatchObject({ code: 'too_old' }));
    expect(() => pdp.isAllowed(ASKED)).toThrow(/older than maxAgeMs|maxAgeMs allows 1 s/);
    await startAgain();
    await until(() => expect(pdp.isAllowed(ASKED)).toBe(true));
  });
});

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import { revisionNumber } from '@authz-service/core/state/revision';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentProcess, agentEnv } from '../e2e/agent/agent-process.js';
import { ScriptedCloud } from '../e2e/agent/scripted-cloud.js';
import { asking, bundleOf, tenant } from '../e2e/agent/tenant-fixture.js';
import { finished, PROGRAM } from '../e2e/cli/workbench.js';
import { CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';
import { metric, untilReady } from './readiness.js';
import { haveSmallDisks, SmallDisk } from './small-disk.js';

let disk: SmallDisk;
const ending: (() => Promise<unknown>)[] = [];

describe.skipIf(!haveSmallDisks())('on a disk of its own', () => {
  beforeEach(() => {
    disk = new SmallDisk(8);
  });
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
    disk.remove();
  });

  describe('an agent', () => {
    let home: string;
    let cloud: ScriptedCloud;

    beforeEach(async () => {
      home = mkdtempSync(join(tmpdir(), 'disk-agent-'));
      cloud = await ScriptedCloud.start();
      ending.push(
        () => cloud.stop(),
        async () => rmSync(home, { recursive: true, force: true }),
      );
    });

    const start = (cloudUrl: string): AgentProcess => {
      const agent = new AgentProcess({
        env: agentEnv(home, cloudUrl, { SERVICE_POLL_INTERVAL: '20ms', SERVICE_CACHE_DIR: join(disk.dir, 'cache') }),
      });
      ending.push(() => agent.kill());
      return agent;
    };
    const first = bundleOf(tenant({ revision: 1, readers: ['alice'], ballast: 500 }));
    const second = bundleOf(tenant({ revision: 2, readers: ['bob'], ballast: 500 }));

    it.each<[string, () => void, () => void]>([
      ['is full', () => disk.fill(), () => disk.free()],
      ['has become read-only', () => disk.readOnly(true), () => disk.readOnly(false)],
    ])('whose disk %s follows the cloud, keeps the cache it has, and catches up', async (_, ail, mend) => {
      await cloud.serve(first);
      const agent = start(cloud.url);
      await agent.serves(first.revision);
      ail();
      await cloud.serve(second);
      await agent.serves(second.revision);
      expect([await agent.allows('alice'), await agent.allows('bob')]).toEqual([false, true]);
      expect((await agent.logged(({ level }) => level === 'ERROR')).msg).toMatch(/^bundle cannot be cached/);

      // A new process on the same disk finds the cache intact.
      await agent.kill();
      const cut = start('http://127.0.0.1:9');
      expect(await cut.health()).toMatchObject({ bundle_revision: first.revision });
      expect([await cut.allows('alice'), await cut.allows('bob')]).toEqual([true, false]);
      await cut.kill();

      const again = start(cloud.url);
      await again.serves(second.revision);
      await again.logged(({ msg }) => msg.startsWith('bundle cannot be cached'));
      mend();
      await expect
        .poll(
          async () => {
            const reader = start('http://127.0.0.1:9');
            const { bundle_revision } = await reader.health();
            await reader.kill();
            return bundle_revision;
          },
          { timeout: 20_000 },
        )
        .toBe(second.revision);
      expect(readdirSync(join(disk.dir, 'cache')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  });

  describe('a cloud', () => {
    const start = (): CloudProcess => {
      const cloud = new CloudProcess(join(disk.dir, 'cloud'));
      ending.push(() => cloud.kill());
      return cloud;
    };
    const many = (name: string): Change[] =>
      Array.from({ length: 2_000 }, (_, index) => ({
        op: 'create',
        kind: 'subject',
        fields: { type: name, id: `${index}` },
      }));
    const ask = async (url: string, key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/v1/authorize`, { method: 'POST', headers, body: asking('alice') });
      return await answer.json();
    };

    it('whose disk is full commits nothing by half, says why, answers on, and commits again once there is room', async () => {
      const cloud = start();
      const admin = await cloud.client();
      const { revision } = await admin.changeset({ changes: TENANT });
      const { secret } = await admin.records('api_key').create({ name: 'asks', scopes: ['decisions'] });
      const before = await admin.state();
      disk.fill();
      for (const name of ['a', 'b', 'c']) {
        await expect(admin.changeset({ changes: many(name) }, { idempotencyKey: name })).rejects.toMatchObject({
          code: 'storage_failed',
          detail: expect.stringMatching(/disk of the cloud is full.*nothing was changed.*free space/i),
        });
      }
      expect(await admin.state()).toEqual(before);
      expect(await ask(await cloud.url(), String(secret))).toMatchObject({ decision: true });
      expect((await admin.bundle())?.bytes.length).toBeGreaterThan(0);
      await untilReady(cloud, {
        status: 'ready',
        writable: false,
        reason: expect.stringMatching(/disk .* is full: free/),
      });
      expect(await metric(cloud, 'service_cloud_writable')).toBe(0);
      // The log names the fault when an outage begins, and not for each failure.
      expect(cloud.stderr.filter((line) => line.includes('SQLITE_FULL')).length).toBeGreaterThanOrEqual(1);

      disk.free();
      await untilReady(cloud, { status: 'ready', writable: true });
      expect(await metric(cloud, 'service_cloud_writable')).toBe(1);
      const done = await admin.changeset({ changes: many('a') }, { idempotencyKey: 'a' });
      expect(done).toMatchObject({ added: 2_000 });
      expect(revisionNumber(done.revision)).toBe(revisionNumber(before.revision) + 1);
      await cloud.kill();
      const after = await (await start().client()).state();
      expect(after.revision).toBe(done.revision);
      expect(after.records).toHaveLength(before.records.length + 2_000);
      expect(revisionNumber(revision)).toBeLessThan(revisionNumber(after.revision));
    });

    it('says in time that its disk is full or read-only, before any change meets it', async () => {
      const cloud = start();
      const full = { status: 'ready', writable: false, reason: expect.stringMatching(/is full/) };
      const readOnly = { status: 'ready', writable: false, reason: expect.stringMatching(/is read-only: make/) };
      await untilReady(cloud, { status: 'ready', writable: true });
      disk.fill();
      await untilReady(cloud, full);
      disk.free();
      await untilReady(cloud, { status: 'ready', writable: true });
      disk.coverReadOnly(true);
      await untilReady(cloud, readOnly);
      disk.coverReadOnly(false);
      await untilReady(cloud, { status: 'ready', writable: true });
      // The answer may arrive before the line of the log.
      await vi.waitFor(() => {
        const said = cloud.stderr.map((line) => JSON.parse(line)).filter(({ msg }) => /changes can/.test(msg));
        expect(said.map(({ level }) => level)).toEqual(['ERROR', 'INFO', 'ERROR', 'INFO']);
      }, 10_000);
    });

    it('is backed up to no disk without room for it, which is left as it was', async () => {
      const home = mkdtempSync(join(tmpdir(), 'disk-cloud-'));
      const cloud = new CloudProcess(home);
      ending.push(
        () => cloud.kill(),
        async () => rmSync(home, { recursive: true, force: true }),
      );
      await (await cloud.client()).changeset({ changes: many('a') });
      disk.fill();
      const args = [PROGRAM, 'cloud', 'backup', join(disk.dir, 'backup'), '--data-dir', home, '--json'];
      const { code, stdout } = await finished(spawn(process.execPath, args));
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({
        code: 1,
        error: { code: 'storage_failed', detail: expect.stringMatching(/SQLITE_FULL\. Free space where/) },
      });
      expect(readdirSync(disk.dir)).toEqual(['filler']);
    });

    it('that is killed on a full disk loses nothing it acknowledged', async () => {
      const cloud = start();
      const admin = await cloud.client();
      await admin.changeset({ changes: TENANT });
      const before = await admin.state();
      disk.fill();
      await admin.changeset({ changes: many('a') }).catch(() => {});
      await cloud.kill();

      // It may not have enough room to open its database; then it says so.
      const full = start();
      await full.url().catch(() => {
        expect(full.stderr.join('\n')).toMatch(/data directory ".*" cannot be used: .*free space/i);
      });
      await full.kill();
      disk.free();
      const client = await start().client();
      expect(await client.state()).toEqual(before);
      await client.changeset({ changes: many('a') });
    });
  });
});

import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asking } from '../e2e/agent/tenant-fixture.js';
import { CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';
import { metric, untilReady } from './readiness.js';

let dir: string;
let cloud: CloudProcess;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'database-file-'));
  cloud = new CloudProcess(dir);
});
afterEach(async () => {
  await cloud.kill();
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string) => join(dir, name);

it.each<[string, () => void, () => void]>([
  [
    'is removed',
    () => renameSync(at('cloud.sqlite'), at('elsewhere')),
    () => renameSync(at('elsewhere'), at('cloud.sqlite')),
  ],
  [
    'is replaced by a copy',
    () => {
      copyFileSync(at('cloud.sqlite'), at('copy'));
      renameSync(at('cloud.sqlite'), at('elsewhere'));
      renameSync(at('copy'), at('cloud.sqlite'));
    },
    () => renameSync(at('elsewhere'), at('cloud.sqlite')),
  ],
  [
    'loses its log',
    () => renameSync(at('cloud.sqlite-wal'), at('elsewhere')),
    () => renameSync(at('elsewhere'), at('cloud.sqlite-wal')),
  ],
])('a cloud whose database %s acknowledges no change, says so, and decides on', async (_, ail, mend) => {
  const admin = await cloud.client();
  const { revision } = await admin.changeset({ changes: TENANT });
  const { secret } = await admin.records('api_key').create({ name: 'asks', scopes: ['decisions'] });
  const group = (name: string) => admin.records('group').create({ name });

  ail();
  await expect(group('lost')).rejects.toMatchObject({
    code: 'storage_failed',
    detail: expect.stringMatching(/database file of the cloud has been removed or replaced, and nothing was changed/),
  });
  await untilReady(cloud, {
    status: 'ready',
    writable: false,
    reason: expect.stringMatching(/has been removed or replaced: put the same file back/),
  });
  expect(await metric(cloud, 'service_cloud_writable')).toBe(0);
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body: asking('alice') };
  expect(await (await fetch(`${await cloud.url()}/v1/authorize`, asked)).json()).toMatchObject({ decision: true });

  mend();
  await untilReady(cloud, { status: 'ready', writable: true });
  await group('kept');
  cloud.signal('SIGTERM');
  await cloud.exited;
  cloud = new CloudProcess(dir);
  const after = await (await cloud.client()).state();
  expect(after.records.filter(({ kind }) => kind === 'group').map(({ address }) => address)).toContain('group/kept');
  expect(Number.parseInt(after.revision, 10)).toBe(Number.parseInt(revision, 10) + 2);
});

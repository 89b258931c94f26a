import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import { Secret } from '@authz-service/core/values/secret';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BY, NOW, openTwoReplicas, type Replica, send, type TwoReplicas } from '../../testing/replica.js';
import { createTenant } from '../commands/create-tenant.js';
import { Health } from '../telemetry/health.js';
import { LogKey } from './log-line.js';
import { readLog } from './read-log.js';
import { RevocationLog } from './revocation-log.js';

const key = new LogKey(new Secret('the key of the revocation log, 32'));
const SUBJECT: Change = { op: 'create', kind: 'subject', fields: { type: 'user', id: 'a' } };

const KEY: Change = { op: 'create', kind: 'api_key', fields: { name: 'a', scopes: ['decisions'] } };

let replicas: TwoReplicas;
let here: Replica;
let place: string;
let log: RevocationLog;

beforeEach(async () => {
  replicas = await openTwoReplicas();
  ({ here } = replicas);
  place = join(replicas.dir, 'log');
  const { credentials, store, log: told } = here.cloud;
  log = await RevocationLog.open(place, key, { credentials, store, log: told, now: () => NOW });
  here.cloud.revocationLog = log;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await log.close().catch(() => undefined);
  await replicas.close();
});

/** Returns what frees space again. */
async function fill(): Promise<() => void> {
  const handle = await open(place, 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const full = vi.spyOn(prototype, 'datasync').mockImplementation(async () => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  return () => full.mockRestore();
}

describe('a replica whose revocation log cannot be written', () => {
  it('follows records, though the database was set back, and says that once it can', async () => {
    const free = await fill();
    const by = { at: new Date(NOW).toISOString(), request_id: 'off', credential: BY };
    await send(replicas.elsewhere, SUBJECT);
    await replicas.store.disableCredentials(by);
    await here.follower.refresh(replicas.tenant);
    expect(replicas.tenant.revisionNumber).toBe(replicas.elsewhere.cloud.credentials.revisionOf(replicas.tenant.id));
    free();
    await log.alive();
    expect((await readLog(place, key)).setBack).toBe(await replicas.store.setBackAt());
  });

  it('refuses to change credentials before anything is stored, and commits all else', async () => {
    const free = await fill();
    await expect(log.alive()).rejects.toThrow();
    const health = new Health(here.cloud.store, here.cloud.tenants, () => NOW, here.cloud.log, log);
    expect(await health.writability()).toEqual({ writable: false, reason: expect.stringMatching(/ENOSPC/) });
    await send(here, SUBJECT);
    const before = await replicas.store.position();
    const refused = { code: 'storage_failed', detail: expect.stringMatching(/ENOSPC/) };
    await expect(send(here, KEY)).rejects.toMatchObject(refused);
    const second = { name: 'second', by: BY, requestId: 'second', now: NOW };
    await expect(createTenant(here.cloud, second)).rejects.toMatchObject(refused);
    expect(await replicas.store.position()).toEqual(before);
    free();
    expect(await health.writability()).toEqual({ writable: true });
    await send(here, KEY);
    await createTenant(here.cloud, second);
  });

  it('asks again when the database was set back, where the answer failed', async () => {
    await replicas.store.disableCredentials({ at: new Date(NOW).toISOString(), request_id: 'off', credential: BY });
    const asked = vi.spyOn(replicas.store, 'setBackAt').mockRejectedValueOnce(new Error('cut off'));
    await expect(here.follower.refresh()).rejects.toThrow('cut off');
    asked.mockRestore();
    await here.follower.refresh();
    expect((await readLog(place, key)).setBack).toBe(await replicas.store.setBackAt());
  });
});

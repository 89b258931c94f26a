import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '@authz-service/core/state/change';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialIndex } from '../auth/credential-index.js';
import type { Cloud } from '../cloud.js';
import { Metrics } from '../metrics.js';
import { openSqliteStore } from '../store/sqlite.js';
import type { Store } from '../store/store.js';
import { Tenants } from '../tenants/tenants.js';
import { commit } from './commit.js';
import { createTenant } from './create-tenant.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');

let dir: string;
let store: Store;
let cloud: Cloud;
let administrator: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authz-commit-'));
  // A copy, so that single operations can be made to fail.
  store = { ...(await openSqliteStore(dir)) };
  const tenants = await Tenants.open(store);
  cloud = {
    store,
    tenants,
    credentials: new CredentialIndex([]),
    metrics: new Metrics(() => 1),
  } as Partial<Cloud> as Cloud;
  const by = { kind: 'bootstrap', id: 'test', name: 'test' } as const;
  const { client } = await createTenant(cloud, { name: 'one', by, requestId: 'first', now: NOW });
  administrator = client.client_id;
});

afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const tenant = async () => {
  const [row] = cloud.tenants.list();
  return await cloud.tenants.get(row?.id ?? '');
};
const send = async (...changes: Change[]) => {
  const credential = cloud.credentials.client(administrator);
  if (!credential) throw new Error('no administrator');
  return await commit(cloud, { changes: () => changes, credential, requestId: 'request', now: NOW });
};
const role = (name: string): Change => ({ op: 'create', kind: 'role', fields: { name } });
const key: Change = { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } };

describe('a commit that the store refuses', () => {
  it('leaves memory as it was, and the next one goes through', async () => {
    const { revision } = await tenant();
    const original = store.commit;
    store.commit = () => Promise.reject(new Error('the disk is full'));
    await expect(send(role('a'), key)).rejects.toThrow('the disk is full');
    expect((await tenant()).revision).toBe(revision);
    expect((await tenant()).state.get('role/a')).toBeUndefined();
    store.commit = original;
    const { committed } = await send(role('a'));
    expect(committed.revision).toMatch(/^2\./);
  });

  it('though it was stored in the end is known from then on', async () => {
    const original = store.commit;
    store.commit = async (wanted) => {
      await original(wanted);
      throw new Error('the answer was lost');
    };
    await expect(send(role('a'), key)).rejects.toThrow('the answer was lost');
    expect((await tenant()).revisionNumber).toBe(2);
    expect((await tenant()).state.get('role/a')).toBeDefined();
    const record = (await tenant()).state.get('api_key/k');
    expect(record && cloud.credentials.of(record)).toMatchObject({ name: 'k' });
    store.commit = original;
    await expect(send(role('a'))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('after another process wrote brings memory up to date', async () => {
    const { state, id } = await tenant();
    const other = await store.load(id);
    expect(other.revision).toBe(1);
    const { prepareCommit } = await import('./prepare-commit.js');
    const by = { kind: 'oauth_client', id: 'x', name: 'x' } as const;
    const theirs = await prepareCommit(
      { id, state, revisionNumber: 1 },
      { changes: [role('theirs')], by, requestId: 'x', now: NOW },
    );
    if (!theirs) throw new Error('nothing prepared');
    await store.commit(theirs.commit);
    await expect(send(role('mine'))).rejects.toThrow('is not at revision 1');
    expect((await tenant()).state.get('role/theirs')).toBeDefined();
    expect((await send(role('mine'))).committed.revision).toMatch(/^3\./);
  });
});

describe('a commit whose turn comes too late', () => {
  it('is refused when its tenant has been removed', async () => {
    const present = await tenant();
    let late: Promise<unknown> = Promise.resolve();
    await present.exclusive(async () => {
      late = send(role('late'));
      late.catch(() => {});
      const row = cloud.tenants.named('one');
      if (row) cloud.tenants.remove(row);
    });
    await expect(late).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('is refused when the cloud has stopped', async () => {
    const present = await tenant();
    let late: Promise<unknown> = Promise.resolve();
    let closed: Promise<void> = Promise.resolve();
    await present.exclusive(async () => {
      late = send(role('late'));
      late.catch(() => {});
      closed = cloud.tenants.close();
    });
    await closed;
    await expect(late).rejects.toMatchObject({ code: 'not_ready' });
  });
});

describe('the engine', () => {
  it('is compiled anew by records, and kept by credentials', async () => {
    const { engine } = await tenant();
    await send(key);
    expect((await tenant()).engine).toBe(engine);
    await send(role('a'));
    expect((await tenant()).engine).not.toBe(engine);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { Change } from '@authz-service/core/state/change';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialIndex } from '../auth/credential-index.js';
import type { Cloud } from '../cloud.js';
import { openSqliteStore } from '../store/sqlite.js';
import type { Store } from '../store/store.js';
import { Health } from '../telemetry/health.js';
import { Metrics } from '../telemetry/metrics.js';
import type { Tenant, TenantView } from '../tenants/tenant.js';
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
  const slicing = new TimeSlicing(() => performance.now());
  const tenants = await Tenants.open(store, { slicing });
  cloud = {
    store,
    tenants,
    slicing,
    credentials: new CredentialIndex([]),
    tenantRecordsMax: Number.POSITIVE_INFINITY,
    idempotencyMs: 86_400_000,
    health: new Health(store, tenants, () => NOW, pino({ level: 'silent' })),
    metrics: new Metrics({
      tenants: () => 1,
      brokenTenants: () => 0,
      fleet: async () => undefined,
      writable: async () => true,
      clockBehindSeconds: () => 0,
      replica: () => ({ state: 'current', silentSeconds: 0 }),
      setBack: () => false,
      revocationLogWritable: () => undefined,
    }),
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

  it('because another process was faster follows that and is judged anew', async () => {
    const { state, id } = await tenant();
    const other = await store.load(id);
    expect(other.revision).toBe(1);
    const { prepareCommit } = await import('./prepare-commit.js');
    const by = { kind: 'oauth_client', id: 'x', name: 'x' } as const;
    const theirs = await prepareCommit(
      { id, state, revisionNumber: 1, committedAt: 0 },
      { changes: [role('theirs')], by, requestId: 'x', now: NOW },
    );
    if (!theirs) throw new Error('nothing prepared');
    await store.commit(theirs.commit);
    await expect(send(role('theirs'))).rejects.toMatchObject({ code: 'conflict' });
    expect((await send(role('mine'))).committed.revision).toMatch(/^3\./);
    expect((await tenant()).state.get('role/theirs')).toBeDefined();
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

  it('is refused when the one before it has taken away its credential', async () => {
    const spare = { name: 'spare', scopes: ['credentials', 'records:write'] };
    await send({ op: 'create', kind: 'oauth_client', fields: spare });
    const first = send({
      op: 'update',
      address: 'oauth_client/administrator',
      fields: { ...spare, name: 'administrator' },
    });
    const late = send(role('late'));
    await first;
    await expect(late).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await tenant()).state.get('role/late')).toBeUndefined();
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

// biome-ignore lint/correctness/useYield: it is done in its first step.
function* seen(view: TenantView): Generator<undefined, TenantView> {
  return view;
}

describe('the engine', () => {
  const subject = (id: string): Change => ({ op: 'create', kind: 'subject', fields: { type: 'user', id } });
  const known = (at: Tenant, id: string) => at.engine.subjects.get('user')?.get(id) !== undefined;

  it('is kept by credentials, and follows small changes in place', async () => {
    const { engine } = await tenant();
    await send(key);
    await send(subject('a'));
    expect((await tenant()).engine).toBe(engine);
    expect(known(await tenant(), 'a')).toBe(true);
  });

  it('is compiled afresh by many changes, and knows them when the commit is acknowledged', async () => {
    const { engine } = await tenant();
    await send(...Array.from({ length: 6_000 }, (_, at) => subject(`${at}`)));
    expect((await tenant()).engine).not.toBe(engine);
    expect(known(await tenant(), '5999')).toBe(true);
    expect(known(await tenant(), '6000')).toBe(false);
  });

  it('shows a search one revision, for which the commit waits, and the next search the next', async () => {
    const one = await tenant();
    const { revision, search } = await one.reading(seen);
    let ends = false;
    const reading = one.reading(function* () {
      while (!ends) yield;
    });
    const committed = send(subject('a'));
    // The tenant's queue contains only this commit, which the store has by then.
    while ((await store.load(one.id)).revision === one.revisionNumber) await setImmediate();
    const next = one.reading(seen);
    expect([one.revision, known(one, 'a')]).toEqual([revision, false]);
    ends = true;
    const { committed: acknowledged } = await committed;
    expect([one.revision, known(one, 'a')]).toEqual([acknowledged.revision, true]);
    expect((await next).revision).toBe(acknowledged.revision);
    expect((await next).search).not.toBe(search);
    await reading;
  });

  it('that does not fit the records is thrown away, and the records are read anew', async () => {
    const { engine } = await tenant();
    engine.apply([{ after: { kind: 'subject', id: 'user/a', fields: { type: 'user', id: 'a' } } }]);
    await expect(send(subject('a'))).rejects.toThrow('already has');
    expect((await tenant()).engine).not.toBe(engine);
    expect(known(await tenant(), 'a')).toBe(true);
    await send(subject('b'));
    expect(known(await tenant(), 'b')).toBe(true);
  });
});

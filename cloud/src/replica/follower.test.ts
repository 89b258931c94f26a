import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Change } from '@authz-service/core/state/change';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  BY,
  NOW,
  onlyTenantOf,
  openReplica,
  openTwoReplicas,
  type Replica,
  send,
  type TwoReplicas,
} from '../../testing/replica.js';
import { followTenant } from '../commands/follow-tenant.js';
import { copyDatabase } from '../store/copy-database.js';
import { DATABASE } from '../store/database-name.js';
import { storageFailed } from '../store/storage-fault.js';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { Tenants } from '../tenants/tenants.js';
import { Follower } from './follower.js';

let replicas: TwoReplicas;
let dir: string;
let store: Store;
let here: Replica;
let elsewhere: Replica;
let tenant: Tenant;

beforeEach(async () => {
  replicas = await openTwoReplicas();
  ({ dir, store, here, elsewhere, tenant } = replicas);
});
afterEach(() => replicas.close());

const KEY: Change = { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } };
const SUBJECT: Change = { op: 'create', kind: 'subject', fields: { type: 'user', id: 'a' } };
const removeKey = () => send(elsewhere, { op: 'delete', address: 'api_key/k' });

async function removeTenant(): Promise<void> {
  const by = { at: new Date(NOW).toISOString(), request_id: 'last', credential: BY };
  await store.deleteTenant({ id: tenant.id, name: tenant.name, created_at: tenant.createdAt }, by);
}

/** The names of the API keys that a replica accepts. */
const accepted = (ids: readonly string[]) =>
  ids.flatMap((id) => here.cloud.credentials.held('api_key', id)?.name ?? []);

describe('a key that was revoked elsewhere', () => {
  it('is refused where the tenant follows its creation and its removal in one', async () => {
    let release = () => {};
    const busy = tenant.exclusive(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const { committed } = await send(elsewhere, KEY);
    const ids = committed.created.map(({ id }) => id);
    await here.follower.refresh();
    expect(accepted(ids)).toEqual(['k']);
    await removeKey();
    release();
    await busy;
    // It follows in the tenant's queue.
    await tenant.exclusive(async () => {});
    expect(tenant.revisionNumber).toBe(3);
    expect(accepted(ids)).toEqual([]);
  });

  /** Commits a key here, and calls `meanwhile` when the store has it and the memory waits for a search. */
  async function whileWaiting(meanwhile: () => Promise<unknown>): Promise<string[]> {
    expect(tenant.engine.subjects.size).toBe(0);
    let ends = false;
    const search = tenant.reading(function* () {
      while (!ends) yield;
    });
    const committing = send(here, KEY, SUBJECT);
    while ((await store.load(tenant.id)).revision === 1) await setImmediate();
    await meanwhile();
    await here.follower.refresh();
    expect(tenant.revisionNumber).toBe(1);
    ends = true;
    await search;
    const { committed } = await committing;
    return committed.created.map(({ id }) => id);
  }

  it('stays refused when the memory takes over the older commit that created it', async () => {
    const ids = await whileWaiting(removeKey);
    expect(accepted(ids)).toEqual([]);
    expect(here.cloud.credentials.revisionOf(tenant.id)).toBe(3);
  });

  it('stays refused when its tenant is gone by the time the memory takes over the commit', async () => {
    const ids = await whileWaiting(removeTenant);
    expect(accepted(ids)).toEqual([]);
    expect(here.cloud.credentials.revisionOf(tenant.id)).toBe(0);
  });

  it('stays refused when its tenant goes while its credentials are being read', async () => {
    const { committed } = await send(elsewhere, KEY);
    const credentialsSince: Store['credentialsSince'] = async (wanted) => {
      const known = await store.credentialsSince(wanted);
      await removeTenant();
      await here.follower.refresh();
      return known;
    };
    await followTenant(here.cloud, tenant, { ...store, credentialsSince });
    expect(accepted(committed.created.map(({ id }) => id))).toEqual([]);
    expect(here.cloud.credentials.revisionOf(tenant.id)).toBe(0);
  });
});

it('what the database has lost is given up for what it got instead under the same number', async () => {
  here.cloud.store = { ...store, commit: async () => {} };
  const lost = (await send(here, KEY, SUBJECT)).committed.created;
  expect(accepted(lost.map(({ id }) => id))).toEqual(['k']);
  here.cloud.store = store;
  await send(elsewhere, { op: 'create', kind: 'role', fields: { name: 'kept' } });
  expect(tenant.revisionNumber).toBe((await onlyTenantOf(elsewhere)).revisionNumber);
  await send(here, { op: 'create', kind: 'role', fields: { name: 'next' } });
  expect(tenant.state.get('subject/user/a')).toBeUndefined();
  expect(accepted(lost.map(({ id }) => id))).toEqual([]);
  await elsewhere.follower.refresh();
  await (await onlyTenantOf(elsewhere)).exclusive(async () => {});
  expect((await onlyTenantOf(elsewhere)).revision).toBe(tenant.revision);
  // What was recorded fits the rows.
  await Tenants.open(store, { slicing: here.cloud.slicing });
});

describe('a database that lost a commit and got another one under its number', () => {
  /** Commits elsewhere what `here` follows, and takes it out of the database again. */
  async function lose(...changes: Change[]): Promise<string[]> {
    const before = join(dir, `before-${Math.random()}`);
    await snapshot(before);
    const { committed } = await send(elsewhere, ...changes);
    await here.follower.refresh();
    await tenant.exclusive(async () => {});
    expect(tenant.revision).toBe(committed.revision);
    await setBack(before);
    return committed.created.map(({ id }) => id);
  }

  it.each([
    ['records and credentials', [KEY, SUBJECT]],
    ['credentials alone', [KEY]],
  ])('is followed by a replica that nobody asks for a commit: %s', async (_, changes) => {
    const ids = await lose(...changes);
    expect(accepted(ids)).toEqual(['k']);
    await send(elsewhere, { op: 'create', kind: 'api_key', fields: { name: 'other', scopes: ['bundle'] } });
    await here.follower.refresh();
    await tenant.exclusive(async () => {});
    expect(tenant.revision).toBe((await onlyTenantOf(elsewhere)).revision);
    expect(accepted(ids)).toEqual([]);
    expect(tenant.state.get('api_key/other')).toBeDefined();
    expect(tenant.state.get('subject/user/a')).toBeUndefined();
  });

  it('is followed by a replica that had seen it behind', async () => {
    // The digest of a revision tells neither credentials nor schemas.
    const ids = await lose(KEY);
    await expect(here.follower.refresh()).rejects.toThrow('lacks commits');
    await send(elsewhere, { op: 'create', kind: 'context_attribute', fields: { name: 'amount', type: 'number' } });
    await send(elsewhere, { op: 'create', kind: 'role', fields: { name: 'b' } });
    await here.follower.refresh();
    await tenant.exclusive(async () => {});
    expect(tenant.revision).toBe((await onlyTenantOf(elsewhere)).revision);
    expect(accepted(ids)).toEqual([]);
  });

  it('is followed once somebody has declared by an epoch that it counts, and says so until then', async () => {
    const ids = await lose(KEY);
    await expect(here.follower.refresh()).rejects.toThrow('lacks commits');
    expect(here.follower.loss).toMatch(/it is at revision 1 of .* and this replica has seen 2\. .*declare-epoch/);
    const keys = { set: { version: 0 }, epoch: { number: 0 }, follow: async () => void keys.epoch.number++ };
    here.cloud.bundleKeys = keys as unknown as typeof here.cloud.bundleKeys;
    await store.addEpoch({ number: 1, id: 'e', statement: 's', created_at: 'x' });
    await here.follower.refresh();
    await tenant.exclusive(async () => {});
    expect([here.follower.loss, here.cloud.credentials.revisionOf(tenant.id)]).toEqual([undefined, 1]);
    expect(tenant.revision).toBe((await onlyTenantOf(elsewhere)).revision);
    expect(accepted(ids)).toEqual([]);
  });

  const snapshot = (file: string) => copyDatabase(join(dir, DATABASE), file, new AbortController().signal);
  /** Gives the database its former rows; who committed what it lost has them, too. */
  async function setBack(file: string): Promise<void> {
    const database = replicas.connect();
    await database.raw('attach database ? as former', [file]);
    for (const table of ['record_origins', 'secrets', 'record_references', 'record_versions', 'revisions', 'records'])
      await database(table).delete();
    await database.raw('update tenants set revision = (select revision from former.tenants where id = tenants.id)');
    for (const table of ['records', 'revisions', 'record_versions', 'record_references', 'secrets', 'record_origins'])
      await database.raw(`insert into ${table} select * from former.${table}`);
    await database.destroy();
    elsewhere = await openReplica(store);
  }
});

it('is no longer behind once a commit here has read the tenant that it failed to follow', async () => {
  await here.follower.refresh();
  await send(elsewhere, SUBJECT);
  const read = vi.spyOn(store, 'commitsSince').mockRejectedValueOnce(new Error('no'));
  await here.follower.refresh();
  await vi.waitFor(() => expect(read).toHaveBeenCalled());
  await tenant.exclusive(async () => {});
  expect(here.follower.state).toBe('behind');
  await send(here, { op: 'create', kind: 'subject', fields: { type: 'user', id: 'b' } });
  await here.follower.refresh();
  expect(here.follower.state).toBe('current');
});

describe('looks at the database', () => {
  let looks: number;
  let hint: () => void;
  let follower: Follower;
  /** The database's answer. */
  let answer: () => Promise<void>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    looks = 0;
    answer = async () => {};
    const position: Store['position'] = async () => {
      looks++;
      await answer();
      return {
        revisions: new Map([[tenant.id, 1]]),
        rowDigests: new Map(),
        event: { number: 0, identity: '' },
        bundleKeys: 0,
        tokenKeys: 0,
        epoch: 0,
      };
    };
    const listen: Store['listen'] = (onCommit) => {
      hint = onCommit;
      return async () => {};
    };
    follower = new Follower({ ...here.cloud, store: { ...store, position, listen } }, () => performance.now());
    follower.start({
      revisions: new Map(),
      rowDigests: new Map(),
      event: { number: 0, identity: '' },
      bundleKeys: 0,
      tokenKeys: 0,
      epoch: 0,
    });
  });

  afterEach(async () => {
    await follower.close();
    vi.useRealTimers();
  });

  it('are not put off by hints that never cease', async () => {
    for (let hints = 0; hints < 2000; hints++) {
      hint();
      await vi.advanceTimersByTimeAsync(4);
    }
    expect(looks).toBeGreaterThan(500);
    expect(follower.isCutOff).toBe(false);
  });

  it('that reach no database are logged once, with the reason and no stack trace', async () => {
    const error = vi.spyOn(here.cloud.log, 'error');
    const fault = { what: 'The database cannot be reached', remedy: 'start it' };
    answer = async () => {
      throw storageFailed(fault, { writing: false, cause: new Error('connect ECONNREFUSED') });
    };
    await vi.advanceTimersByTimeAsync(20_000);
    expect(follower.isCutOff).toBe(true);
    expect(error.mock.calls).toEqual([
      [
        { reason: 'The database cannot be reached, so that nothing was read: start it, then ask again.' },
        'the database has not been heard of: changes are refused, decisions go on',
      ],
    ]);
  });

  it('come again at once after a hint that came during one', async () => {
    let release = () => {};
    answer = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    await vi.advanceTimersByTimeAsync(0);
    expect(looks).toBe(1);
    hint();
    hint();
    release();
    await vi.advanceTimersByTimeAsync(10);
    expect(looks).toBe(2);
    release();
    await vi.advanceTimersByTimeAsync(300);
    expect(looks).toBe(2);
  });
});

it('tells the first caller of a tenant what was committed elsewhere while it was read', async () => {
  const first = (await onlyTenantOf(elsewhere)).revision;
  const load: Store['load'] = async (id, take) => {
    const loaded = await store.load(id, take);
    await send(elsewhere, SUBJECT);
    return loaded;
  };
  const read = await onlyTenantOf(await openReplica({ ...store, load }));
  expect(read.revisionNumber).toBe(2);
  expect(read.revision).toBe((await onlyTenantOf(elsewhere)).revision);
  expect(read.engine.subjects.size).toBe(1);
  expect(read.hadLately(first)).toBe(true);
});

it('tells the log once of a tenant that cannot follow, until it can', async () => {
  const errors = vi.spyOn(here.cloud.log, 'error');
  const { commitsSince } = store;
  const tries = async (count: number) => {
    for (let done = 0; done < count; done++) {
      await here.follower.refresh();
      await tenant.exclusive(async () => {});
      await setImmediate();
    }
  };
  const fail = () => {
    store.commitsSince = () => Promise.reject(new Error('unreadable'));
  };
  await send(elsewhere, KEY);
  fail();
  await tries(3);
  expect(errors).toHaveBeenCalledTimes(1);
  store.commitsSince = commitsSince;
  await tries(1);
  expect(tenant.revisionNumber).toBe(2);
  await removeKey();
  fail();
  await tries(2);
  expect(errors).toHaveBeenCalledTimes(2);
});

describe('a tenant that is written to elsewhere before each look', () => {
  it('is known to be at its newest revision when it follows, and not later than that by a clock that is set', async () => {
    const follower = here.follower;
    const before = Date.now();
    await send(elsewhere, SUBJECT);
    await follower.refresh();
    await tenant.exclusive(async () => {});
    expect(tenant.revisionNumber).toBe(2);
    expect(follower.newestAt(tenant.id)).toBeGreaterThanOrEqual(before);
    vi.setSystemTime(before - 600_000);
    try {
      expect(follower.ageMs(tenant.id)).toBeGreaterThan(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has followed once it is asked for, also where it followed something earlier meanwhile', async () => {
    let release = () => {};
    const busy = tenant.exclusive(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    await send(elsewhere, SUBJECT);
    await here.follower.refresh();
    await send(elsewhere, KEY);
    const asked = Date.now();
    const refreshed = here.follower.refresh(tenant);
    release();
    await Promise.all([busy, refreshed]);
    expect(tenant.revisionNumber).toBe(3);
    expect(here.follower.newestAt(tenant.id)).toBeGreaterThanOrEqual(asked);
  });
});

it('signs by a later epoch only once its tenants have what was committed before', async () => {
  await send(elsewhere, SUBJECT);
  await store.addEpoch({ number: 7, id: 'later', statement: '', created_at: new Date(NOW).toISOString() });
  const follow = vi.fn(async () => tenant.revisionNumber);
  Object.assign(here.cloud.bundleKeys, { follow });

  await here.follower.refresh();
  expect(follow).toHaveBeenCalledOnce();
  expect(await follow.mock.results[0]?.value).toBe(2);
});

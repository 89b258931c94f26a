import { setImmediate } from 'node:timers/promises';
import type { Change } from '@authz-service/core/state/change';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BY, NOW, openReplica, openTwoReplicas, type Replica, send } from '../../testing/replica.js';
import { commit } from '../commands/commit.js';
import { createTenant } from '../commands/create-tenant.js';
import type { CommitNotice, Store, StorePosition } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { Follower } from './follower.js';

let [store, here, elsewhere, tenant] = [] as unknown as [Store, Replica, Replica, Tenant];

beforeEach(async () => {
  const replicas = await openTwoReplicas();
  ({ store, here, elsewhere, tenant } = replicas);
  return () => replicas.close();
});

const KEY: Change = { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } };
const SUBJECT: Change = { op: 'create', kind: 'subject', fields: { type: 'user', id: 'a' } };

describe('a commit that is announced', () => {
  let onCommit: (notice?: CommitNotice) => void;
  let looks: number;
  let reads: number;
  let follower: Follower;

  beforeEach(() => {
    [looks, reads] = [0, 0];
    const watched: Partial<Store> = {
      position: () => {
        looks++;
        return store.position();
      },
      commitsSince: (...known) => {
        reads++;
        return store.commitsSince(...known);
      },
      listen: (listener) => {
        onCommit = listener;
        return async () => {};
      },
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    follower = new Follower({ ...here.cloud, store: { ...store, ...watched } }, () => performance.now());
    follower.start({ event: { number: 0, identity: '' } } as StorePosition);
  });

  afterEach(async () => {
    await follower.close();
    vi.useRealTimers();
  });

  const announce = (revision: number) => onCommit({ tenant: tenant.id, revision, atLarge: false });
  const reached = async (revision: number) => {
    while (tenant.revisionNumber < revision) await setImmediate();
  };

  it('is followed once, without a look at everything', async () => {
    await send(elsewhere, SUBJECT);
    for (let times = 0; times < 3; times++) announce(2);
    await reached(2);
    announce(2);
    onCommit({ tenant: 'not in memory', revision: 7, atLarge: false });
    await tenant.exclusive(async () => {});
    expect([looks, reads]).toEqual([0, 1]);
  });

  it('while an earlier one is followed is followed after that', async () => {
    await send(elsewhere, SUBJECT);
    announce(2);
    let sent: Promise<unknown> = Promise.resolve();
    // Whoever follows stands in the tenant's queue by now.
    await tenant.exclusive(async () => {
      sent = send(elsewhere, KEY);
      await sent;
      announce(3);
    });
    await reached(3);
    expect(looks).toBe(0);
  });

  it('and touches more than its tenant causes a look', async () => {
    await vi.advanceTimersByTimeAsync(0);
    while (looks < 1 || reads > 0) await setImmediate();
    onCommit({ tenant: tenant.id, revision: 2, atLarge: true });
    await vi.advanceTimersByTimeAsync(100);
    while (looks < 2) {
      await setImmediate();
      await vi.advanceTimersByTimeAsync(5);
    }
    expect(reads).toBe(0);
  });
});

describe('a commit here after one elsewhere that is not known here yet', () => {
  const again: Change = { op: 'create', kind: 'role', fields: { name: 'again' } };
  const remove: Change = { op: 'delete', address: 'role/again' };

  it('is refused, and changes nothing, only by the newest revision', async () => {
    await send(here, again);
    await send(elsewhere, remove);
    expect((await send(here, again)).committed.revision).toMatch(/^4\./);
    await send(elsewhere, remove);
    await expect(send(here, remove)).rejects.toThrow('"role/again" does not exist');
    await send(elsewhere, again);
    expect(
      (await send(here, { op: 'update', address: 'role/again', fields: { name: 'again' } })).committed,
    ).toMatchObject({
      revision: tenant.revision,
      changed: 0,
    });
    expect(tenant.revisionNumber).toBe(6);
  });

  it('keeps others away from the beginning as long as they are faster', async () => {
    const locked = vi.spyOn(store, 'locked');
    const role = (name: string): Change => ({ op: 'create', kind: 'role', fields: { name } });
    const locks = async (name: string) => {
      locked.mockClear();
      await send(here, role(name));
      return locked.mock.calls.length;
    };
    expect(await locks('a')).toBe(0);
    await send(elsewhere, role('b'));
    elsewhere = await openReplica(store);
    locked.mockClear();
    expect(await locks('c')).toBe(1);
    await send(elsewhere, role('d'));
    expect(await locks('e')).toBe(1);
    expect(await locks('f')).toBe(1);
    expect(await locks('g')).toBe(0);
  });
});

describe('a key that was revoked elsewhere', () => {
  const keys = () => [...here.cloud.credentials.ofTenant(tenant.id)].filter(({ kind }) => kind === 'api_key');

  it('is not known any more after a commit here to a tenant whose records came without credentials', async () => {
    await send(elsewhere, KEY);
    await here.follower.refresh();
    expect(keys()).toHaveLength(1);
    await send(elsewhere, { op: 'delete', address: 'api_key/k' });
    here.cloud.tenants.unloadIdle(0);
    expect((await send(here, SUBJECT)).committed.revision).toMatch(/^4\./);
    expect(keys()).toEqual([]);
  });

  it('is left to the next look by a commit here that does not come right after what is known', () => {
    here.cloud.credentials.follow(tenant.id, 3, { put: [], remove: [], created: [] }, []);
    expect(here.cloud.credentials.revisionOf(tenant.id)).toBe(1);
  });
});

describe('tenants of which all has to be read anew', () => {
  it('are read a few at a time', async () => {
    const by = { by: BY, requestId: 'request', now: NOW };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const made = [];
    for (const name of names) made.push(await createTenant(elsewhere.cloud, { ...by, name }));
    await here.follower.refresh();
    const tenants = await Promise.all(made.map((one) => here.cloud.tenants.get(one.tenant.id)));
    for (const { client } of made) {
      const credential = elsewhere.cloud.credentials.client(client.client_id) ?? failed();
      await commit(elsewhere.cloud, { ...by, credential, changes: () => [SUBJECT] });
    }
    let [reading, most] = [0, 0];
    const load: Store['load'] = async (...asked) => {
      most = Math.max(most, ++reading);
      await setImmediate();
      return await store.load(...asked).finally(() => reading--);
    };
    here.cloud.store = { ...store, commitsSince: async () => undefined, load };
    await here.follower.refresh(...tenants);
    expect(tenants.map(({ revisionNumber }) => revisionNumber)).toEqual(names.map(() => 2));
    expect(most).toBe(2);
  });
});

describe('an operator who was revoked on another replica', () => {
  it('commits to no other tenant any more, though this replica has not heard of it', async () => {
    const by = { by: BY, requestId: 'request', now: NOW };
    const { client } = await createTenant(elsewhere.cloud, { ...by, name: 'operators', operator: true });
    const administrator = elsewhere.cloud.credentials.client(client.client_id) ?? failed();
    const change = (...changes: Change[]) =>
      commit(elsewhere.cloud, { ...by, operator: true, changes: () => changes, credential: administrator });
    const { committed } = await change(KEY);
    await here.follower.refresh();
    const operator = here.cloud.credentials.held('api_key', committed.created[0]?.id ?? '') ?? failed();
    const act = (id: string) => {
      const changes = (): Change[] => [{ ...SUBJECT, fields: { type: 'user', id } } as Change];
      return commit(here.cloud, { ...by, changes, credential: operator, elsewhere: tenant.id });
    };
    await act('while it is one');
    await change({ op: 'delete', address: 'api_key/k' });
    await expect(act('after that')).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await store.position()).revisions.get(tenant.id)).toBe(2);
  });
});

function failed(): never {
  throw new Error('there is no such credential');
}

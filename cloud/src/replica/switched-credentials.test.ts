import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BY, NOW, openTwoReplicas, type Replica, type TwoReplicas } from '../../testing/replica.js';
import { createTenant } from '../commands/create-tenant.js';
import type { Store } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';

let replicas: TwoReplicas;
let store: Store;
let here: Replica;
let elsewhere: Replica;
let tenant: Tenant;

beforeEach(async () => {
  replicas = await openTwoReplicas();
  ({ store, here, elsewhere, tenant } = replicas);
});
afterEach(() => replicas.close());

describe('credentials that are turned off elsewhere', () => {
  const by = (request_id: string) => ({ at: new Date(NOW).toISOString(), request_id, credential: BY });
  const isOff = () => here.cloud.credentials.off(tenant.id).length > 0;
  const make = (name: string) => createTenant(elsewhere.cloud, { name, by: BY, requestId: 'more', now: NOW });
  beforeEach(() => here.follower.refresh());

  it('are off here, though something else happens during the look', async () => {
    await store.disableCredentials(by('off'));
    const position: Store['position'] = async () => {
      const before = await store.position();
      await make('two');
      return before;
    };
    here.cloud.store = { ...store, position };
    await here.follower.refresh();
    expect(isOff()).toBe(true);
    here.cloud.store = store;
    await store.enableCredentials({ id: tenant.id, name: tenant.name, created_at: '' }, undefined, by('on'));
    await here.follower.refresh();
    expect(isOff()).toBe(false);
  });

  it('are off here, though a commit is made here while they are read', async () => {
    await store.disableCredentials(by('off'));
    const credentialsSince: Store['credentialsSince'] = async (wanted) => {
      const known = await store.credentialsSince(wanted);
      here.cloud.credentials.advance({ tenant: tenant.id, revision: 2, rows: undefined });
      return known;
    };
    here.cloud.store = { ...store, credentialsSince };
    await here.follower.refresh();
    here.cloud.store = store;
    const database = replicas.connect();
    await database('tenants').update({ revision: 2 });
    await database.destroy();
    await here.follower.refresh();
    expect(isOff()).toBe(true);
  });

  it('are off here, though the database was set back to where it knew fewer events', async () => {
    const { tenant: two } = await make('two');
    await store.deleteTenant(two, by('gone'));
    await here.follower.refresh();
    const database = replicas.connect();
    await database('tenant_events').where('number', '>', 1).delete();
    await database.raw("update sqlite_sequence set seq = 1 where name = 'tenant_events'").catch(() => undefined);
    await database.destroy();
    await store.disableCredentials(by('off'));
    expect((await store.position()).event.number).toBe(2);
    await here.follower.refresh();
    expect(isOff()).toBe(true);
  });

  it.each([
    ['as many', ['three']],
    ['more', ['three', 'four']],
  ])('are off here, though the database was set back and then got %s events again', async (_, names) => {
    const { tenant: two } = await make('two');
    await store.deleteTenant(two, by('gone'));
    await here.follower.refresh();
    const database = replicas.connect();
    await database('tenant_events').where('number', '>', 1).delete();
    await database.raw("update sqlite_sequence set seq = 1 where name = 'tenant_events'");
    await database.destroy();
    await store.disableCredentials(by('off'));
    for (const name of names) await make(name);
    expect((await store.position()).event.number).toBe(2 + names.length);
    await here.follower.refresh();
    expect(isOff()).toBe(true);
  });
});

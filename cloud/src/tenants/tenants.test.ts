import { join } from 'node:path';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeDatabase } from '../../testing/change-database.js';
import { billing, TestCloud } from '../../testing/test-cloud.js';
import { EVERY_TENANT } from '../bundles/watch.js';
import type { Cloud } from '../cloud.js';
import { bundledTenants } from '../commands/bundle-for.js';
import { openSqliteStore } from '../store/sqlite.js';
import type { Store, TenantRow } from '../store/store.js';
import { StartLoading } from './start-loading.js';
import type { Tenant } from './tenant.js';
import { Tenants } from './tenants.js';

const MINUTE = 60_000;

let cloud: TestCloud;
let store: Store;
let now: number;
const log = pino({ level: 'silent' });
let tenants: Tenants;
const id = (name: string) => tenants.named(name)?.id ?? '';
const inMemory = () => [...tenants.loaded()].map(({ name }) => name).sort();
const open = async () => {
  tenants = await Tenants.open(store, { slicing: new TimeSlicing(() => 0) }, () => now);
};

const startLoading = (
  load: (id: string) => Promise<Tenant>,
  rows = tenants.list(),
  warn: (details: unknown) => void = () => {},
  pause?: () => Promise<void>,
) => {
  const loaded = { load, rows: (one: string) => tenants.rows(one), isBroken: (one: string) => tenants.isBroken(one) };
  return new StartLoading(loaded, rows, () => now, { warn: warn as Logger['warn'] }, pause);
};

beforeEach(async () => {
  now = 0;
  cloud = await TestCloud.start();
  await cloud.commit(await cloud.token(), billing());
  for (const name of ['a', 'b']) await cloud.tenant(name);
  await cloud.stop();
  store = await openSqliteStore(cloud.dir);
  await open();
});
afterEach(async () => {
  await tenants.close();
  await store.close();
  await cloud.close();
});

describe('tenants', () => {
  it('are read when they are first asked for, and leave memory when nobody has asked for them for so long', async () => {
    expect(inMemory()).toEqual([]);
    await tenants.get(id('a'));
    now = 5 * MINUTE;
    const kept = await tenants.get(id('b'));
    expect(tenants.unloadIdle(5 * MINUTE)).toEqual([id('a')]);
    expect(inMemory()).toEqual(['b']);
    expect(await tenants.get(id('b'))).toBe(kept);
    expect((await tenants.get(id('a'))).revisionNumber).toBe(1);
    expect(inMemory()).toEqual(['a', 'b']);
  });

  it('that were read at the start and never asked for leave memory, too', async () => {
    await tenants.load(id('a'));
    expect(tenants.unloadIdle(MINUTE)).toEqual([]);
    now = MINUTE;
    expect(tenants.unloadIdle(MINUTE)).toEqual([id('a')]);
  });

  it('stay while somebody waits for a commit or works on them', async () => {
    const [a, b] = [await tenants.get(id('a')), await tenants.get(id('b'))];
    now = 60 * MINUTE;
    let gone = () => {};
    const waiting = tenants.watch.next(a.id, {
      ms: 60 * MINUTE,
      onGone: (callback) => {
        gone = callback;
      },
    });
    let end = () => {};
    const work = b.exclusive(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    expect(tenants.unloadIdle(MINUTE)).toEqual([]);
    gone();
    await waiting;
    expect(tenants.unloadIdle(MINUTE)).toEqual([a.id]);
    await Promise.resolve();
    end();
    await work;
    expect(tenants.unloadIdle(MINUTE)).toEqual([b.id]);
  });
});

describe('many tenants at once', () => {
  it('are read a few at a time, one of them once however often it is asked for', async () => {
    const rows = Array.from({ length: 30 }, (_, number) => ({ id: `t${number}`, name: `t${number}`, created_at: '' }));
    const one = id('a');
    let [reading, most] = [0, 0];
    const counted: Store = {
      ...store,
      tenants: async () => rows,
      tenantUse: async () => [],
      newestCommits: (_, limits) => store.newestCommits(one, limits),
      load: async (_, take) => {
        most = Math.max(most, ++reading);
        return await store.load(one, take).finally(() => reading--);
      },
    };
    tenants = await Tenants.open(counted, { slicing: new TimeSlicing(() => 0) }, () => now);
    const asked = [...rows, ...rows].map((row) => tenants.get(row.id));
    // What is in memory waits for nothing.
    const first = await asked[0];
    expect(await tenants.get('t0')).toBe(first);
    const read = await Promise.all(asked);
    expect(new Set(read).size).toBe(30);
    expect(most).toBe(4);
  });
});

describe('a start', () => {
  it('reads the tenants that were used within the last hour of service, the latest first', async () => {
    const later = (minutes: number) => Date.now() + minutes * MINUTE;
    await tenants.get(id('a'));
    await tenants.uses.save(store, later(100));
    await tenants.get(id('default'));
    await tenants.uses.save(store, later(159));
    await open();
    const recent = tenants.recent(later(200));
    expect(recent.map(({ name }) => name)).toEqual(['default', 'a']);
    const loading = new StartLoading(tenants, recent, () => now, log);
    expect(loading.awaited).toEqual(['default', 'a']);
    await loading.run();
    expect(loading.awaited).toEqual([]);
    expect(inMemory()).toEqual(['a', 'default']);
  });

  it('waits for a minute at most', async () => {
    const loading = startLoading(() => new Promise(() => {}));
    void loading.run();
    now = MINUTE - 1;
    expect(loading.awaited).toEqual(['a', 'b', 'default']);
    now = MINUTE;
    expect(loading.awaited).toEqual([]);
  });

  it('is not misled by times of a clock that was ahead', async () => {
    const later = (minutes: number) => Date.now() + minutes * MINUTE;
    await tenants.get(id('a'));
    await tenants.uses.save(store, later(100));
    await tenants.get(id('default'));
    await tenants.uses.save(store, later(200));
    await tenants.get(id('b'));
    await tenants.uses.save(store, later(100_000));
    await open();
    expect(tenants.recent(later(300)).map(({ name }) => name)).toEqual(['b', 'default']);
  });

  it('reads again what the database could not read, after a pause, and what is broken or gone once', async () => {
    const asked: string[] = [];
    let pauses = 0;
    const gone = { ...tenants.list()[0], id: 'gone', name: 'gone' } as TenantRow;
    await store.close();
    await changeDatabase(join(cloud.dir, 'cloud.sqlite'), `update tenants set revision = 9 where name = 'b'`);
    store = await openSqliteStore(cloud.dir);
    await open();
    const load = (one: string) => {
      asked.push(one);
      return one === id('a') && pauses < 3 ? Promise.reject(new Error('away')) : tenants.load(one);
    };
    const warnings: unknown[] = [];
    const loading = startLoading(
      load,
      [...tenants.list(), gone],
      (details) => warnings.push(details),
      async () => {
        expect(loading.awaited).toEqual(['a']);
        pauses++;
      },
    );
    await loading.run();
    expect(loading.awaited).toEqual([]);
    expect(inMemory()).toEqual(['a', 'default']);
    expect(asked).toEqual([id('a'), id('b'), id('default'), 'gone', id('a'), id('a'), id('a')]);
    expect(warnings).toMatchObject([{ err: { message: 'away' }, tenants: 1 }, {}, {}]);
  });

  it('gives up what cannot be read when nothing waits for it any more', async () => {
    const loading = startLoading(
      () => Promise.reject(new Error('away')),
      tenants.list(),
      () => {},
      async () => {
        now += MINUTE / 2;
      },
    );
    await loading.run();
    expect(now).toBe(MINUTE);
  });

  it('begins to read nothing more once it is stopped', async () => {
    const asked: string[] = [];
    const loading = startLoading(async (one) => {
      asked.push(one);
      loading.stop();
      throw new Error('away');
    });
    await loading.run();
    expect(asked.length).toBeLessThan(tenants.size);
  });
});

describe('a bundle of all tenants', () => {
  it('does not wait for one that could not be read, and who waits for changes is told when it is served', async () => {
    const { load } = store;
    let read: () => Promise<void> = () => Promise.reject(new Error('away'));
    const slowly: Store['load'] = async (one, take) => {
      if (one === id('b')) await read();
      return await load(one, take);
    };
    store = { ...store, load: slowly };
    await open();
    const bundled = async () => {
      const found = await bundledTenants({ tenants } as Cloud, { tenant: id('a'), operator: true });
      return { tenants: found.tenants.map(({ name }) => name), unreadable: found.unreadable.map(({ name }) => name) };
    };
    const without = { tenants: ['a', 'default'], unreadable: ['b'] };
    expect(await bundled()).toEqual(without);
    let mend = () => {};
    const mended = new Promise<void>((resolve) => {
      mend = resolve;
    });
    read = () => mended;
    expect(await bundled()).toEqual(without);
    const told = tenants.watch.next(EVERY_TENANT, { ms: MINUTE, onGone: () => {} });
    mend();
    await told;
    expect(await bundled()).toEqual({ tenants: ['a', 'b', 'default'], unreadable: [] });
  });
});

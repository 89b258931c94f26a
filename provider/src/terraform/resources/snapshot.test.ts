import { declare, type StoredRecord } from '@authz-service/core/records/registry';
import { describe, expect, it } from 'vitest';
import { stored } from './service.js';
import { Snapshot } from './snapshot.js';

const { signal } = new AbortController();
const role = (name: string, id = `id-${name}`): StoredRecord => stored(declare('role', { name }), id, 'terraform');

/** A tenant whose fetches end when told to. */
function tenant() {
  const fetches: {
    ifNoneMatch: string | undefined;
    answer(records: StoredRecord[] | undefined): void;
    fail(): void;
  }[] = [];
  const snapshot = new Snapshot(
    (ifNoneMatch) =>
      new Promise((resolve, reject) => {
        const revision = `${fetches.length + 1}.x`;
        fetches.push({
          ifNoneMatch,
          answer: (records) => resolve(records && { tenant: 't', revision, records }),
          fail: () => reject(new Error('away')),
        });
      }),
  );
  return { snapshot, fetches };
}

describe('the snapshot of a tenant', () => {
  it('is fetched once for all who read at the same time and later', async () => {
    const { snapshot, fetches } = tenant();
    const readers = [snapshot.records(signal), snapshot.present(signal), snapshot.records(signal)];
    fetches[0]?.answer([role('a')]);
    for (const records of await Promise.all(readers)) expect(records.get('role/a')?.id).toBe('id-a');
    expect((await snapshot.records(signal)).find('role', 'id-a')?.address).toBe('role/a');
    expect(fetches).toHaveLength(1);
  });

  it('follows own writes without another fetch', async () => {
    const { snapshot, fetches } = tenant();
    const first = snapshot.records(signal);
    fetches[0]?.answer([role('a')]);
    await first;
    snapshot.follow([role('b')], ['role/a']);
    const records = await snapshot.records(signal);
    expect([records.get('role/a'), records.find('role', 'id-a'), records.get('role/b')?.id]).toEqual([
      undefined,
      undefined,
      'id-b',
    ]);
    expect(fetches).toHaveLength(1);
  });

  it('is fetched again, conditionally, after own writes for callers that need the present state', async () => {
    const { snapshot, fetches } = tenant();
    const first = snapshot.records(signal);
    fetches[0]?.answer([role('a')]);
    await first;
    snapshot.follow([role('b')], []);
    const present = snapshot.present(signal);
    expect(fetches[1]?.ifNoneMatch).toBe('1.x');
    fetches[1]?.answer([role('a'), role('b', 'other')]);
    expect((await present).get('role/b')?.id).toBe('other');
    expect((await snapshot.present(signal)).get('role/b')?.id).toBe('other');
    expect(fetches).toHaveLength(2);
  });

  it('does not serve a fetch that began before a write to who comes after it', async () => {
    const { snapshot, fetches } = tenant();
    const first = snapshot.records(signal);
    fetches[0]?.answer([]);
    await first;
    snapshot.follow([], []);
    const early = snapshot.present(signal);
    snapshot.follow([role('b')], []);
    const late = snapshot.present(signal);
    fetches[2]?.answer([role('b')]);
    fetches[1]?.answer([]);
    expect((await early).get('role/b')).toBeUndefined();
    expect((await late).get('role/b')).toBeDefined();
    expect((await snapshot.records(signal)).get('role/b')).toBeDefined();
  });

  it('stays the same if nothing has changed, and tries again after a failure', async () => {
    const { snapshot, fetches } = tenant();
    const failing = snapshot.records(signal);
    fetches[0]?.fail();
    await expect(failing).rejects.toThrow('away');
    const again = snapshot.records(signal);
    fetches[1]?.answer([role('a')]);
    await again;
    snapshot.follow([], []);
    const same = snapshot.present(signal);
    fetches[2]?.answer(undefined);
    expect((await same).get('role/a')).toBeDefined();
  });
});

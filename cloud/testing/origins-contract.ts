import type { RecordOrigin } from '@authz-service/core/origin/record-origin';
import type { Change } from '@authz-service/core/state/change';
import { expect, it } from 'vitest';
import type { DeclaredOrigins } from '../src/commands/settle-origins.js';
import { StaleStoreError, type Store } from '../src/store/store.js';
import type { ExpectedTenant } from './store-contract.js';

const SOURCE = { repository: 'https://github.com/acme/access', commit: 'abc1234' };
const stack = 'git';
const role = (name: string): Change => ({ op: 'create', kind: 'role', fields: { name } });
const update = (name: string, description: string): Change => ({
  op: 'update',
  address: `role/${name}`,
  fields: { name, description },
});

/** The contract of every store for the places of records, in a store that has a tenant with one revision. */
export function originsContract(store: () => Store, tenant: () => ExpectedTenant, reopen: () => Promise<void>): void {
  const told = (source: DeclaredOrigins['source'], ...places: [string, string, number][]): DeclaredOrigins => ({
    source,
    places: new Map(places.map(([address, path, line]) => [address, { path, line }])),
  });
  const commit = async (changes: Change[], origins?: DeclaredOrigins) =>
    await store().commit(await tenant().next(changes, { stack, ...(origins && { origins }) }));
  const origins = async (...addresses: string[]) => Object.fromEntries(await store().origins('t-1', addresses));
  const all = { path: 'roles.yaml', line: 3, ...SOURCE };

  it('keeps where the records of a commit stand, through a restart', async () => {
    await commit([role('a'), role('b'), role('c')], told(SOURCE, ['role/a', 'roles.yaml', 3], ['role/b', 'b.yaml', 1]));
    await reopen();
    const kept = { 'role/a': all, 'role/b': { path: 'b.yaml', line: 1, ...SOURCE }, 'role/c': SOURCE };
    expect(await origins('role/a', 'role/b', 'role/c', 'role/first', 'role/nobody')).toEqual(kept);
    expect(await store().origins('t-2', ['role/a'])).toEqual(new Map());
  });

  it('keeps it with a record that is renamed or follows a rename, and forgets it with a change that tells nothing', async () => {
    await commit(
      [
        { op: 'create', kind: 'application', fields: { name: 'old' } },
        { op: 'create', kind: 'role', fields: { application: 'old', name: 'x' } },
        role('a'),
      ],
      told({}, ['role/old/x', 'roles.yaml', 9], ['role/a', 'roles.yaml', 3]),
    );
    await commit([{ op: 'move', from: 'application/old', to: 'application/new' }, update('a', 'other')]);
    expect(await origins('role/old/x', 'role/new/x', 'role/a')).toEqual({
      'role/new/x': { path: 'roles.yaml', line: 9 },
    });
  });

  it('replaces it with the next change, and removes it with the record', async () => {
    await commit([role('a')], told(SOURCE, ['role/a', 'roles.yaml', 3]));
    const uncommitted: RecordOrigin = { path: 'roles.yaml', line: 7, uncommitted: true };
    await commit([update('a', 'other')], told({ uncommitted: true }, ['role/a', 'roles.yaml', 7]));
    expect(await origins('role/a')).toEqual({ 'role/a': uncommitted });
    await commit([{ op: 'delete', address: 'role/a' }]);
    await commit([role('a')]);
    expect(await origins('role/a')).toEqual({});
  });

  it('is told of records that stay as they are without a revision, and not on another base', async () => {
    await commit([role('a')]);
    const before = await store().load('t-1');
    const note = { tenant: 't-1', base: 2, origins: new Map([['role/a', all]]) };
    await store().noteOrigins(note);
    expect(await origins('role/a')).toEqual({ 'role/a': all });
    await store().noteOrigins({ ...note, origins: new Map([['role/a', SOURCE]]) });
    expect(await origins('role/a')).toEqual({ 'role/a': SOURCE });
    const after = await store().load('t-1');
    expect(after).toEqual(before);
    expect(after.committed?.rowDigest).toBe(after.rowDigest);
    await expect(store().noteOrigins({ ...note, base: 1 })).rejects.toThrow(StaleStoreError);
  });

  it('is part of no digest', async () => {
    await commit([role('a')]);
    const digests = async (origins?: DeclaredOrigins) => {
      await commit([update('a', 'same')], origins);
      const { committed, rowDigest } = await store().load('t-1');
      await commit([update('a', 'other')]);
      return { digest: committed?.digest, rows: rowDigest === committed?.rowDigest };
    };
    const without = await digests();
    expect(without).toMatchObject({ digest: expect.any(String), rows: true });
    expect(await digests(told(SOURCE, ['role/a', 'roles.yaml', 3]))).toEqual(without);
  });
}

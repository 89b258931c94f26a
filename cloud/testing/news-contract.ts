import type { Change } from '@authz-service/core/state/change';
import { expect, it } from 'vitest';
import { NoTenantError, StaleStoreError, type Store } from '../src/store/store.js';
import { ExpectedTenant } from './store-contract.js';

const role = (name: string): Change => ({ op: 'create', kind: 'role', fields: { name } });
const key = (name: string): Change => ({ op: 'create', kind: 'api_key', fields: { name, scopes: ['bundle'] } });
const AT = '2026-05-01T12:00:00.000Z';
const by = { request_id: 'r', credential: { kind: 'oauth_client', id: 'c-1', name: 'tester' } } as const;

/** The contract of every store for changes of others, in a store that has a tenant with one revision. */
export function newsContract(store: () => Store, tenant: () => ExpectedTenant): void {
  const commit = async (...changes: Change[]) => await store().commit(await tenant().next(changes));
  const known = async (revision: number) => {
    const found = await store().findRevision('t-1', { number: revision });
    return { revision, digest: found?.digest ?? '' };
  };
  const since = async (revision: number) => await store().commitsSince('t-1', await known(revision));

  it('tells what was committed since a revision, at once and one by one', async () => {
    await commit(role('a'), role('b'), { op: 'create', kind: 'application', fields: { name: 'old' } });
    await commit({ op: 'delete', address: 'role/b' }, role('c'));
    await commit({ op: 'move', from: 'application/old', to: 'application/new' }, { op: 'delete', address: 'role/c' });
    expect(await since(4)).toMatchObject({ revision: 4, put: [], gone: [] });
    const news = await since(2);
    expect(news).toMatchObject({ revision: 4, digest: tenant().state.digest(), put: [{ address: 'application/new' }] });
    expect(news?.gone.sort()).toEqual(['application/old', 'role/b', 'role/c']);
    expect(news?.commits).toEqual(await store().newestCommits('t-1', { commits: 2, changes: 100 }));
    expect((await since(1))?.commits).toHaveLength(3);
    await expect(store().commitsSince('nobody', await known(1))).rejects.toThrow(NoTenantError);
  });

  it('tells nothing to who knows the newest revision with other records, and refuses what was judged on those', async () => {
    await commit(role('a'));
    const digest = 'f'.repeat(64);
    expect(await store().commitsSince('t-1', { revision: 2, digest })).toBeUndefined();
    const next = await tenant().next([role('b')]);
    await expect(store().commit({ ...next, baseDigest: digest })).rejects.toThrow(StaleStoreError);
    expect((await store().load('t-1')).revision).toBe(2);
    await store().commit(next);
  });

  it('tells nothing of what history has forgotten', async () => {
    await commit(role('a'));
    await commit({ op: 'delete', address: 'role/a' });
    await store().pruneHistory('2027-01-01T00:00:00.000Z');
    expect(await since(1)).toBeUndefined();
    expect(await since(3)).toMatchObject({ revision: 3, put: [], gone: [] });
    expect(await store().credentialsSince([{ tenant: 't-1', since: 1 }])).toMatchObject([{ revision: 3, rows: [] }]);
  });

  it('forgets old commits, but none that a past state needs', async () => {
    const later = '2100-01-01T00:00:00.000Z';
    const numbers = async () => (await store().audit('t-1', { limit: 10 })).map(({ revision }) => revision);
    await commit(role('a'));
    await commit(role('b'));
    await store().pruneAudit(later);
    expect(await numbers()).toEqual([3, 2, 1]);
    await store().pruneHistory(later);
    await store().pruneAudit('2000-01-01T00:00:00.000Z');
    expect(await numbers()).toEqual([3, 2, 1]);
    await store().pruneAudit(later);
    expect(await numbers()).toEqual([3]);
    expect(await store().load('t-1')).toMatchObject({ revision: 3, committed: { revision: 3 } });
  });

  it('tells commits only together where one of them has lost values', async () => {
    const alice = (name: string) => ({ type: 'user', id: 'alice', name });
    await commit({ op: 'create', kind: 'subject', fields: alice('Alice') });
    await commit({ op: 'update', address: 'subject/user/alice', fields: alice('Alicia') });
    const event = { ...by, at: '2026-05-01T12:00:00.000Z' };
    await store().eraseHistory({ tenant: tenant().row, subject: 'user/alice', by: event });
    expect(await since(1)).toMatchObject({ revision: 3, put: [{ fields: alice('Alicia') }], commits: undefined });
  });

  it('counts the held changes of a directory that somebody decides on', async () => {
    const held = ['one', 'two'].map((id) => ({ id, braked: 'removals', detail: '', changes: [], last_at: AT }));
    await store().noteHeld('t-1', 'directory/okta', held);
    expect(await store().decideHeld('t-1', 'directory/okta', 'released', AT)).toBe(2);
    expect(await store().decideHeld('t-1', 'directory/okta', 'discarded', AT)).toBe(0);
    const { decided } = await store().directoryLosses('t-1', 'directory/okta', AT, '2000-01-01T00:00:00.000Z');
    expect([...decided]).toEqual([
      ['one', 'released'],
      ['two', 'released'],
    ]);
  });

  it('tells the credentials of the tenants where some may have changed', async () => {
    await commit(key('a'));
    await commit(role('a'));
    const told = async (from: number) => await store().credentialsSince([{ tenant: 't-1', since: from }]);
    expect(await told(2)).toEqual([{ tenant: 't-1', revision: 3, rows: undefined }]);
    expect(await told(1)).toEqual([{ tenant: 't-1', revision: 3, rows: await store().credentials() }]);
    await commit({ op: 'delete', address: 'api_key/a' });
    expect(await told(3)).toEqual([{ tenant: 't-1', revision: 4, rows: [] }]);
    expect(await store().credentialsSince([{ tenant: 'nobody', since: 0 }])).toEqual([]);
  });

  it('tells the credentials of each of several tenants, by its own revision', async () => {
    const other = new ExpectedTenant({ id: 't-2', name: 'two', created_at: '2026-01-01T00:00:00.000Z' });
    await store().createTenant(other.row, await other.next([key('theirs')]));
    await commit(key('a'));
    const told = await store().credentialsSince([
      { tenant: 't-1', since: 1 },
      { tenant: 't-2', since: 1 },
    ]);
    const named = told.map(({ tenant: id, revision, rows }) => [id, revision, rows?.map(({ fields }) => fields.name)]);
    expect(named.sort()).toEqual([
      ['t-1', 2, ['a']],
      ['t-2', 1, undefined],
    ]);
  });

  it('refuses a commit for what was remembered of a tenant that others have committed to', async () => {
    const stale = await tenant().next([role('a')]);
    await store().commit(stale);
    await expect(store().commit({ ...stale, revision: 3 })).rejects.toThrow(StaleStoreError);
    await expect(store().commit({ ...stale, base: 2, revision: 3 })).rejects.toThrow(StaleStoreError);
    await commit(role('b'));
    expect(await since(1)).toMatchObject({ revision: 3, commits: [{}, {}] });
  });

  it('tells where everything stands', async () => {
    const event = (number: number, op: string) => ({ number, identity: expect.stringContaining(`"${op}"`) });
    const position = await store().position();
    const { rowDigest } = await store().load('t-1');
    const rowDigests = new Map([['t-1', rowDigest]]);
    expect(position).toEqual({
      revisions: new Map([['t-1', 1]]),
      rowDigests,
      event: event(1, 'create'),
      bundleKeys: 0,
      tokenKeys: 0,
      epoch: 0,
    });
    await commit(role('a'));
    await store().addBundleKey({ version: 1_800_000_000, kid: 'k', jwk: '{}', announcement: 'a', created_at: 'x' });
    await store().addSigningKey({ version: 1_800_000_002, kid: 't', jwk: '{}', created_at: 'x' }, 0);
    await store().addEpoch({ number: 1_800_000_001, id: 'e', statement: 's', created_at: 'x' });
    await store().deleteTenant(tenant().row, { ...by, at: '2026-05-01T12:00:00.000Z' });
    expect(await store().position()).toEqual({
      revisions: new Map(),
      rowDigests: new Map(),
      event: event(2, 'delete'),
      bundleKeys: 1_800_000_000,
      tokenKeys: 1_800_000_002,
      epoch: 1_800_000_001,
    });
    const after = (number: number, identity: string) => store().tenantEventsAfter({ number, identity });
    const told = await after(position.event.number, position.event.identity);
    expect(told).toMatchObject({ events: [{ op: 'delete' }], newest: event(2, 'delete') });
    expect(await after(0, '')).toMatchObject({ events: [{ op: 'create' }, { op: 'delete' }] });
    expect(await after(2, told?.newest.identity ?? '')).toMatchObject({ events: [], newest: told?.newest });
    expect(await after(2, position.event.identity)).toBeUndefined();
    expect(await after(3, '')).toBeUndefined();
  });

  it('stores one of many commits that are made at the same time on the same revision', async () => {
    const here = await tenant().next([role('same'), key('one')]);
    const there = { ...here, put: here.put.slice(0, 1), secrets: [] };
    const ends = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => store().commit(at % 2 ? here : there)));
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused.map((reason) => reason.constructor)).toEqual(Array(7).fill(StaleStoreError));
    expect(await store().load('t-1')).toMatchObject({ revision: 2 });
  });

  it('judges under its lock, and keeps nothing of what is refused there', async () => {
    const next = await tenant().next([role('a')]);
    const refusal = new Error('refused');
    const first = await known(1);
    const refused = store().locked('t-1', { judged: true }, async (locked) => {
      expect(await locked.commitsSince('t-1', first)).toMatchObject({ revision: 1 });
      await locked.commit(next);
      expect(await locked.commitsSince('t-1', first)).toMatchObject({ revision: 2 });
      throw refusal;
    });
    await expect(refused).rejects.toBe(refusal);
    expect(await since(1)).toMatchObject({ revision: 1 });
    const refuse = () => {
      throw refusal;
    };
    await expect(store().commit({ ...next, judge: refuse })).rejects.toBe(refusal);
    expect(
      await store().locked('t-1', { judged: false }, async (locked) => {
        await locked.commit(next);
        return 'done';
      }),
    ).toBe('done');
    expect(await since(1)).toMatchObject({ revision: 2 });
    await expect(store().commit(next)).rejects.toThrow(StaleStoreError);
  });

  it('gives the operators as stored to who judges', async () => {
    const made = await tenant().next([key('operator'), key('other')]);
    const secrets = made.secrets.map((secret, index) => ({ ...secret, operator: index === 0 }));
    await store().commit({ ...made, secrets });
    const seen: string[][] = [];
    const judge = (rows: { fields: { name: string } }[]) => void seen.push(rows.map(({ fields }) => fields.name));
    await store().commit({ ...(await tenant().next([{ op: 'delete', address: 'api_key/operator' }])), judge });
    const event = { ...by, at: '2026-05-01T12:00:00.000Z' };
    expect(await store().deleteTenant(tenant().row, event, judge)).toBe(true);
    expect(await store().deleteTenant(tenant().row, event, judge)).toBe(false);
    expect(seen).toEqual([['operator'], [], []]);
  });
}

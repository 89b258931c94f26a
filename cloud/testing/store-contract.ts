import { ProblemError } from '@authz-service/core/problem';
import type { Change } from '@authz-service/core/state/change';
import { TenantState } from '@authz-service/core/state/tenant-state';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommitOrder, prepareCommit } from '../src/commands/prepare-commit.js';
import {
  type Commit,
  StaleStoreError,
  type Store,
  TakenKeyError,
  TakenNameError,
  type TenantRow,
} from '../src/store/store.js';
import { credentialUseContract } from './credential-use-contract.js';
import { newsContract } from './news-contract.js';
import { originsContract } from './origins-contract.js';
import { BEGINNING, changesets } from './random-changes.js';
import { recordsIn } from './records-in.js';
import { sessionContract } from './session-contract.js';
import { signOffContract } from './sign-off-contract.js';
import { tenantContract } from './tenant-contract.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');

/** The contract of every store. `open` returns the same store each time, however often it was closed; `drop` removes it. */
export function storeContract(
  name: string,
  make: () => Promise<{ open(): Promise<Store>; drop(): Promise<void> }>,
): void {
  describe(`a ${name} store`, () => {
    let place: Awaited<ReturnType<typeof make>>;
    let store: Store;
    let tenant: ExpectedTenant;

    beforeEach(async () => {
      place = await make();
      store = await place.open();
      tenant = new ExpectedTenant({ id: 't-1', name: 'one', created_at: '2026-01-01T00:00:00.000Z' });
      const first: Change = { op: 'create', kind: 'role', fields: { name: 'first' } };
      await store.createTenant(tenant.row, await tenant.next([first]));
    });

    afterEach(async () => {
      await store.close();
      await place.drop();
    });

    const commit = async (changes: Change[], more: Partial<Commit> = {}) => {
      await store.commit({ ...(await tenant.next(changes)), ...more });
    };
    /** The digest that each commit has updated equals that of the rows read again. */
    const loadSound = async (id: string) => {
      const { revision, rowDigest, committed } = await store.load(id);
      expect(committed).toMatchObject({ revision, rowDigest });
      return { revision };
    };
    const loaded = async ({ id } = tenant.row) => {
      const { revision } = await loadSound(id);
      return { revision, records: byAddress(await recordsIn(store, id)) };
    };
    const expectSame = async () =>
      expect(await loaded()).toEqual({ revision: tenant.revisionNumber, records: byAddress(tenant.state.records()) });
    const reopen = async () => {
      await store.close();
      store = await place.open();
    };

    sessionContract(() => store, reopen);
    signOffContract(() => store, reopen);
    credentialUseContract(
      () => store,
      () => tenant,
      reopen,
    );
    tenantContract(() => store, { tenant: () => tenant, reopen });
    newsContract(
      () => store,
      () => tenant,
    );
    originsContract(
      () => store,
      () => tenant,
      reopen,
    );

    it('keeps tenants and their first revision', async () => {
      await reopen();
      expect(await store.tenants()).toEqual([tenant.row]);
      await expectSame();
    });

    it('refuses a second tenant of a name and keeps nothing of it', async () => {
      const other = new ExpectedTenant({ ...tenant.row, id: 't-2' });
      const first = await other.next([{ op: 'create', kind: 'role', fields: { name: 'x' } }]);
      await expect(store.createTenant(other.row, first)).rejects.toThrow(TakenNameError);
      expect(await store.tenants()).toEqual([tenant.row]);
    });

    it('keeps creations, updates, moves and deletions', async () => {
      await commit(BILLING);
      await expectSame();
      await commit([
        {
          op: 'update',
          address: 'subject/user/alice',
          fields: { type: 'user', id: 'alice', name: 'Al', properties: { n: 1.5 } },
        },
        { op: 'move', from: 'application/billing', to: 'application/invoicing' },
        { op: 'delete', address: 'group_membership/finance//subject/user/alice' },
        { op: 'delete', address: 'group/finance' },
      ]);
      await expectSame();
      await reopen();
      await expectSame();
    });

    it('keeps records that swap their names', async () => {
      await commit([{ op: 'create', kind: 'role', fields: { name: 'second' } }]);
      await commit([
        { op: 'move', from: 'role/first', to: 'role/second' },
        { op: 'move', from: 'role/second', to: 'role/first' },
      ]);
      await expectSame();
    });

    it('keeps subjects that swap their ids', async () => {
      const subject = (id: string): Change => ({
        op: 'create',
        kind: 'subject',
        fields: { type: 'user', id, name: id },
      });
      await commit([subject('a'), subject('b')]);
      await commit([
        { op: 'move', from: 'subject/user/a', to: 'subject/user/b' },
        { op: 'move', from: 'subject/user/b', to: 'subject/user/a' },
      ]);
      await expectSame();
    });

    it('keeps a record that takes the place of a deleted one', async () => {
      await commit(BILLING);
      await commit([
        { op: 'delete', address: 'subject/user/alice' },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice', name: 'Another' } },
      ]);
      await expectSame();
      // Alice's membership was not touched, and it refers to the new record.
      const alice = tenant.state.get('subject/user/alice');
      const next = await tenant.next([{ op: 'create', kind: 'role', fields: { name: 'x' } }]);
      await expect(store.commit({ ...next, remove: alice ? [alice] : [] })).rejects.toThrow();
    });

    it('keeps more rows than one statement takes parameters', async () => {
      const changes = Array.from({ length: 4000 }, (_, index): Change[] => [
        { op: 'create', kind: 'subject', fields: { type: 'user', id: `u${index}` } },
        {
          op: 'create',
          kind: 'role_assignment',
          fields: { role: 'first', entity_type: 'subject', entity: `user/u${index}` },
        },
      ]);
      await commit(changes.flat());
      await expectSame();
    });

    it('keeps what any change-sets make, whatever they do to each other', async () => {
      let kept = 0;
      await fc.assert(
        fc.asyncProperty(changesets, async (sets) => {
          const fresh = new ExpectedTenant({ ...tenant.row, id: `t-${++kept}-fresh`, name: `fresh ${kept}` });
          await store.createTenant(fresh.row, await fresh.next(BEGINNING));
          for (const changes of sets) {
            const next = await fresh.next(changes).catch((error: unknown) => {
              if (error instanceof ProblemError || error instanceof NothingError) return undefined;
              throw error;
            });
            if (next) await store.commit(next);
          }
          const { revisionNumber: revision, state } = fresh;
          expect(await loaded(fresh.row)).toEqual({ revision, records: byAddress(state.records()) });
        }),
        { numRuns: 20 },
      );
    });

    it('refuses a commit on another revision than it stands at, and keeps nothing of it', async () => {
      const late = await tenant.next([{ op: 'create', kind: 'role', fields: { name: 'late' } }]);
      await store.commit(late);
      await expect(store.commit({ ...late, base: 1 })).rejects.toThrow(StaleStoreError);
      await expect(store.commit({ ...late, tenant: 'nobody' })).rejects.toThrow(StaleStoreError);
      await expectSame();
    });

    it('keeps nothing of a commit that fails half way', async () => {
      const before = await loaded();
      const next = await tenant.next(BILLING);
      const [put] = next.put;
      if (!put) throw new Error('nothing to put');
      await expect(store.commit({ ...next, put: [...next.put, { record: put.record }] })).rejects.toThrow();
      expect(await loaded()).toEqual(before);
      expect(await store.audit('t-1', { limit: 10 })).toHaveLength(1);
    });

    it('refuses to delete what is still referred to', async () => {
      await commit(BILLING);
      const record = tenant.state.get('application/billing');
      if (!record) throw new Error('no record');
      const next = await tenant.next([{ op: 'create', kind: 'role', fields: { name: 'x' } }]);
      await expect(store.commit({ ...next, remove: [record] })).rejects.toThrow();
    });

    it('keeps hashes beside the credentials, and takes them away together', async () => {
      const key: Change = { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } };
      await commit([key, { op: 'create', kind: 'oauth_client', fields: { name: 'c', scopes: ['decisions'] } }]);
      const rows = await store.credentials();
      expect(rows.map(({ tenant, kind, fields, operator }) => ({ tenant, kind, fields, operator }))).toEqual(
        expect.arrayContaining([
          { tenant: 't-1', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] }, operator: false },
          { tenant: 't-1', kind: 'oauth_client', fields: { name: 'c', scopes: ['decisions'] }, operator: false },
        ]),
      );
      expect(rows.find(({ kind }) => kind === 'api_key')?.hash).toMatch(/^[0-9a-f]{64}$/);
      await commit([{ op: 'delete', address: 'api_key/k' }]);
      expect((await store.credentials()).map(({ kind }) => kind)).toEqual(['oauth_client']);
    });

    it('keeps the hash of a credential that is changed or renamed', async () => {
      await commit([{ op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } }]);
      const [before] = await store.credentials();
      await commit([
        { op: 'move', from: 'api_key/k', to: 'api_key/l' },
        { op: 'update', address: 'api_key/l', fields: { name: 'l', scopes: ['decisions'] } },
      ]);
      expect(await store.credentials()).toEqual([{ ...before, fields: { name: 'l', scopes: ['decisions'] } }]);
    });

    it('keeps an audit, the newest first, in pages', async () => {
      await commit([{ op: 'create', kind: 'role', fields: { name: 'b' } }]);
      await commit([{ op: 'move', from: 'role/b', to: 'role/c' }]);
      const newest = await store.audit('t-1', { limit: 2 });
      expect(newest.map(({ revision }) => revision)).toEqual([3, 2]);
      expect(newest[0]).toMatchObject({
        digest: tenant.state.digest(),
        at: new Date(NOW).toISOString(),
        request_id: 'request',
        credential: { kind: 'oauth_client', id: 'c-1', name: 'tester' },
        counts: { added: 0, changed: 1, removed: 0 },
        changes: [{ op: 'move', address: 'role/c', from: 'role/b' }],
        truncated: false,
      });
      expect(newest[0]).not.toHaveProperty('source');
      expect((await store.audit('t-1', { before: 2, limit: 2 })).map(({ revision }) => revision)).toEqual([1]);
    });

    it('keeps idempotency keys with their commits, and forgets old ones', async () => {
      const key = { tenant: 't-1', credential: 'c-1', key: 'k' };
      const row = { ...key, request_hash: 'h', response: '{}', created_at: '2026-05-01T12:00:00.000Z' };
      const kept = (one: typeof row) => ({
        ...one,
        free_before: new Date(Date.parse(one.created_at) - 24 * 60 * 60 * 1000).toISOString(),
      });
      expect(await store.findIdempotent(key)).toBeUndefined();
      await commit([{ op: 'create', kind: 'role', fields: { name: 'b' } }], { idempotency: kept(row) });
      await reopen();
      expect(await store.findIdempotent(key)).toEqual(row);
      expect(await store.findIdempotent({ ...key, credential: 'c-2' })).toBeUndefined();
      const next = await tenant.next([{ op: 'create', kind: 'role', fields: { name: 'c' } }]);
      await expect(store.commit({ ...next, idempotency: kept({ ...row, response: '[]' }) })).rejects.toThrow(
        TakenKeyError,
      );
      await expect(store.saveIdempotent(kept({ ...row, response: '[]' }))).rejects.toThrow(TakenKeyError);
      expect(await store.findIdempotent(key)).toEqual(row);
      await store.commit(next);
      await expectSame();
      const later = { ...row, response: '[]', created_at: '2026-05-02T12:00:00.001Z' };
      await store.saveIdempotent(kept(later));
      expect(await store.findIdempotent(key)).toEqual(later);
      await store.purgeIdempotent('2026-05-03T00:00:00.000Z');
      await store.saveIdempotent(kept(row));
      await store.purgeIdempotent('2026-05-01T12:00:00.000Z');
      expect(await store.findIdempotent(key)).toBeDefined();
      await store.purgeIdempotent('2026-05-01T12:00:00.001Z');
      expect(await store.findIdempotent(key)).toBeUndefined();
    });

    it('keeps signing keys, the oldest first, and removes those that are too old', async () => {
      const row = (version: number) => ({ version, kid: `k${version}`, jwk: '{}', created_at: 'x' });
      for (const version of [10, 9, 11]) await store.addSigningKey(row(version), version - 1);
      await reopen();
      expect(await store.signingKeys()).toEqual([row(10), row(11)]);
    });

    it('keeps the keys of bundles by version, and gives no version twice', async () => {
      const row = (version: number) => ({ version, kid: 'k', jwk: '{}', announcement: 'a', created_at: 'x' });
      for (const version of [1_800_000_000, 7]) await store.addBundleKey(row(version));
      await expect(store.addBundleKey(row(7))).rejects.toThrow();
      await reopen();
      expect(await store.bundleKeys()).toEqual([row(7), row(1_800_000_000)]);
    });

    it('keeps who made and removed tenants in the order of time, whatever the clock says', async () => {
      const by = { request_id: 'r', credential: { kind: 'oauth_client', id: 'c-1', name: 'tester' } } as const;
      const other = new ExpectedTenant({ ...tenant.row, id: 't-2', name: 'two' });
      await store.createTenant(other.row, await other.next([{ op: 'create', kind: 'role', fields: { name: 'x' } }]));
      await store.deleteTenant(other.row, { ...by, at: '2026-04-30T12:00:00.000Z' });
      await reopen();
      const events = await store.tenantEvents({ limit: 10 });
      const at = new Date(NOW).toISOString();
      expect(events.map((event) => [event.op, event.tenant.name, event.at])).toEqual([
        ['delete', 'two', at],
        ['create', 'two', at],
        ['create', 'one', at],
      ]);
      expect(await store.lostTenants()).toEqual([]);
    });

    it('keeps tenants apart, and removes one whole', async () => {
      const other = new ExpectedTenant({ ...tenant.row, id: 't-2', name: 'two' });
      const credential = { kind: 'oauth_client', id: 'c-1', name: 'tester' } as const;
      const by = { at: new Date(NOW).toISOString(), request_id: 'removal', credential };
      await store.createTenant(
        other.row,
        await other.next([{ op: 'create', kind: 'role', fields: { name: 'first' } }]),
      );
      await store.commit(await other.next(BILLING));
      const key: Change = { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } };
      await store.commit(await other.next([key]));
      await expectSame();
      await store.deleteTenant(other.row, by);
      expect(await store.tenants()).toEqual([tenant.row]);
      expect(await store.tenantEvents({ limit: 10 })).toEqual([
        { number: 3, op: 'delete', tenant: { id: 't-2', name: 'two' }, ...by },
        { number: 2, op: 'create', tenant: { id: 't-2', name: 'two' }, ...by, request_id: 'request' },
        { number: 1, op: 'create', tenant: { id: 't-1', name: 'one' }, ...by, request_id: 'request' },
      ]);
      expect((await store.tenantEvents({ before: 3, limit: 1 })).map(({ number }) => number)).toEqual([2]);
      expect(await store.credentials()).toEqual([]);
      expect(await store.audit('t-2', { limit: 10 })).toEqual([]);
      await expect(store.load('t-2')).rejects.toThrow();
      await expectSame();
    });
  });
}

class NothingError extends Error {}

/** A tenant as the store should hold it. */
export class ExpectedTenant {
  readonly state = new TenantState();
  revisionNumber = 0;
  readonly committedAt = 0;

  constructor(readonly row: TenantRow) {}

  get id(): string {
    return this.row.id;
  }

  /** The commit of these changes, assumed to succeed. */
  async next(changes: Change[], more: Pick<CommitOrder, 'stack' | 'origins'> = {}): Promise<Commit> {
    const order: CommitOrder = {
      changes,
      by: { kind: 'oauth_client', id: 'c-1', name: 'tester' },
      requestId: 'request',
      now: NOW,
      ...more,
    };
    const prepared = await prepareCommit(this, order);
    if (!prepared) throw new NothingError('nothing to commit');
    this.state.commit(prepared.staged);
    this.revisionNumber = prepared.commit.revision;
    return prepared.commit;
  }
}

function byAddress<T extends { address: string }>(records: Iterable<T>): T[] {
  return [...records].sort((left, right) => (left.address < right.address ? -1 : 1));
}

const BILLING: Change[] = [
  { op: 'create', kind: 'application', fields: { name: 'billing' } },
  { op: 'create', kind: 'resource_type', fields: { application: 'billing', name: 'invoice', actions: ['read'] } },
  {
    op: 'create',
    kind: 'resource',
    fields: { type: 'billing/invoice', name: 'INV-1', properties: { amount: 12, ß: ['x', null] } },
  },
  { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
  { op: 'create', kind: 'group', fields: { name: 'finance' } },
  {
    op: 'create',
    kind: 'group_membership',
    fields: { group: 'finance', entity_type: 'subject', entity: 'user/alice' },
  },
];

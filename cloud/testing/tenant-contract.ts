import { expect, it } from 'vitest';
import type { Store } from '../src/store/store.js';
import { fleetContract } from './fleet-contract.js';
import { recordsIn } from './records-in.js';
import type { ExpectedTenant } from './store-contract.js';

/** The contract of every store for tenants as a whole, in a store that has the tenant `t-1` with one revision. */
export function tenantContract(
  store: () => Store,
  { tenant, reopen }: { tenant: () => ExpectedTenant; reopen: () => Promise<void> },
): void {
  it('reads every text and number as it was written', async () => {
    const name = 'a "quote", a \\, é and 𝄞';
    const properties = { [name]: `${name} \u0001 \u2028 \n`, numbers: [1e15, -0.5, 9007199254740991], no: null };
    const { state } = tenant();
    await store().commit(
      await tenant().next([
        { op: 'create', kind: 'subject', fields: { type: 'user', id: name, name, properties } },
        { op: 'create', kind: 'role', fields: { name } },
      ]),
    );
    const read = await recordsIn(store(), 't-1');
    expect(read).toHaveLength(state.size);
    for (const record of read) expect(record).toEqual(state.get(record.address));
  });

  it('reads records that are large together in several pages', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const subject = (id: string) => ({ op: 'create', kind: 'subject', fields: subjectOf(id) }) as const;
    const subjectOf = (id: string) => ({ type: 'user', id, properties: { text } });
    const { state } = tenant();
    await store().commit(await tenant().next(['a', 'b', 'c'].map(subject)));
    const lengths: number[] = [];
    await store().load('t-1', async (records) => {
      lengths.push(JSON.stringify(records).length);
    });
    expect(Math.max(...lengths)).toBeLessThan(2 * text.length);
    expect(await recordsIn(store(), 't-1')).toHaveLength(state.size);
  });

  it('keeps when tenants were used, the latest time of each, and forgets that with them', async () => {
    const uses = async () => Object.fromEntries((await store().tenantUse()).map(({ tenant: of, ...use }) => [of, use]));
    const committedAt = (await store().load('t-1')).committed?.at;
    expect(await uses()).toEqual({ 't-1': { committedAt } });
    await store().noteUse(['t-1', 'nobody'], '2026-05-01T12:00:00.000Z');
    await store().noteUse(['t-1'], '2026-05-01T11:59:55.000Z');
    await reopen();
    expect(await uses()).toEqual({ 't-1': { committedAt, usedAt: '2026-05-01T12:00:00.000Z' } });
    await store().noteUse(['t-1'], '2026-06-01T12:00:00.000Z');
    expect(await uses()).toEqual({ 't-1': { committedAt, usedAt: '2026-06-01T12:00:00.000Z' } });
    // A clock that was ahead.
    await store().noteUse(['t-1'], '2026-05-07T12:00:00.000Z');
    expect(await uses()).toEqual({ 't-1': { committedAt, usedAt: '2026-05-07T12:00:00.000Z' } });
    const credential = { kind: 'oauth_client', id: 'c-1', name: 'x' } as const;
    await store().deleteTenant(tenant().row, { at: '2026-06-02T12:00:00.000Z', request_id: 'r', credential });
    expect(await uses()).toEqual({});
  });

  fleetContract(store);
}

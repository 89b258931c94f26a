import { expect, it } from 'vitest';
import type { SignOffRow } from '../src/store/sign-off-store.js';
import type { Store } from '../src/store/store.js';

/** The contract of every store for sign-offs, in a store that has the tenant `t-1`. */
export function signOffContract(store: () => Store, reopen: () => Promise<void>): void {
  it('keeps sign-offs, and lists them page by page, the latest first', async () => {
    const row = (id: string, more: Partial<SignOffRow> = {}): SignOffRow => ({
      id,
      tenant: 't-1',
      at: '2026-05-01T12:00:00.000Z',
      request_id: 'r-1',
      person: { kind: 'person', id: 'https://id.example.com#alice', name: 'Älice' },
      scope: 'application/billing',
      revision: '3.9f86d081884c7d65',
      as_of: '2026-04-30T00:00:00.000Z',
      decision: 'keep',
      note: "it's fine; \u{1F642}",
      row_count: 2,
      rows_digest: 'd',
      to_change: [],
      ...more,
    });
    const said = {
      id: 'x',
      subject: { kind: 'recorded' as const, path: 'user/bob' },
      actions: ['read'],
      resources: [],
    };
    const full = row('c', {
      at: '2026-05-02T12:00:00.000Z',
      actions: ['read', 'pay'],
      decision: 'change',
      scope: 'resource/docs/page/a%2Fb',
      to_change: [{ ...said, condition: null, from: null, until: null }],
    });
    for (const one of [row('a'), row('b'), full]) await store().addSignOff(one);
    await expect(store().addSignOff(row('a'))).rejects.toThrow();
    await expect(store().addSignOff(row('d', { tenant: 'nobody' }))).rejects.toThrow();
    await reopen();
    expect(await store().signOffs('t-1', { limit: 10 })).toEqual([full, row('b'), row('a')]);
    const first = await store().signOffs('t-1', { limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(['c', 'b']);
    const after = { at: first[1]?.at ?? '', id: first[1]?.id ?? '' };
    expect((await store().signOffs('t-1', { limit: 2, after })).map(({ id }) => id)).toEqual(['a']);
    await store().addSignOff(row('e', { at: '2026-05-03T12:00:00.000Z', actions: ['read'] }));
    expect([...(await store().lastSignOffs('t-1', 'application'))]).toEqual([
      ['application/billing', '2026-05-01T12:00:00.000Z'],
    ]);
    const ofScope = await store().signOffs('t-1', { limit: 10, scope: 'application/billing' });
    expect(ofScope.map(({ id }) => id)).toEqual(['e', 'b', 'a']);
    expect(await store().findSignOff('t-1', 'c')).toEqual(full);
    expect([await store().findSignOff('t-2', 'c'), await store().signOffs('t-2', { limit: 1 })]).toEqual([
      undefined,
      [],
    ]);
  });
}

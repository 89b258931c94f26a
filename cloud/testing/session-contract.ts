import { expect, it } from 'vitest';
import type { LinkRow, SessionRow } from '../src/store/console-sessions.js';
import type { Store } from '../src/store/store.js';

/** The contract of every store for sessions and links, in a store that has the tenant `t-1`. */
export function sessionContract(store: () => Store, reopen: () => Promise<void>): void {
  it('keeps sessions until they end or are over, and with their tenant alone', async () => {
    const row = (id: string, more: Partial<SessionRow> = {}): SessionRow => ({
      hash: `hash of ${id}`,
      tenant: 't-1',
      id,
      holder: '{}',
      created_at: '2026-05-01T12:00:00.000Z',
      seen_at: '2026-05-01T12:00:00.000Z',
      expires_at: '2026-05-02T00:00:00.000Z',
      ...more,
    });
    const ids = async () => (await store().sessions('t-1')).map(({ id }) => id);
    await store().addSession(row('a'));
    await store().addSession(row('b', { created_at: '2026-05-01T13:00:00.000Z', seen_at: '2026-05-01T13:00:00.000Z' }));
    await store().addSession(row('c', { expires_at: '2026-05-01T13:00:00.000Z' }));
    await expect(store().addSession(row('a', { hash: 'other' }))).rejects.toThrow();
    await expect(store().addSession(row('d', { tenant: 'nobody' }))).rejects.toThrow();
    await reopen();
    expect(await ids()).toEqual(['b', 'a', 'c']);
    expect(await store().findSession('hash of a')).toEqual(row('a'));
    await store().touchSession('hash of a', '2026-05-01T12:10:00.000Z');
    expect(await store().findSession('hash of a')).toMatchObject({ seen_at: '2026-05-01T12:10:00.000Z' });
    await store().purgeSessions({ now: '2026-05-01T13:00:00.000Z', idle: '2026-05-01T12:09:59.999Z' });
    expect(await ids()).toEqual(['b', 'a']);
    await store().purgeSessions({ now: '2026-05-01T13:00:00.000Z', idle: '2026-05-01T12:10:00.000Z' });
    expect(await ids()).toEqual(['b']);
    expect([await store().endSession('t-2', 'b'), await store().endSession('t-1', 'b')]).toEqual([false, true]);
    expect(await store().findSession('hash of b')).toBeUndefined();
  });

  it('gives a link away once, and forgets old ones', async () => {
    const row = (hash: string): LinkRow => ({
      hash,
      tenant: 't-1',
      holder: '{}',
      expires_at: '2026-05-01T12:01:00.000Z',
    });
    const bound = { now: '2026-05-01T12:00:00.000Z', max: 3 };
    for (const hash of ['a', 'b', 'c']) expect(await store().addLink(row(hash), bound)).toBe(true);
    expect(await store().addLink(row('too many'), bound)).toBe(false);
    expect(await store().takeLink('too many')).toBeUndefined();
    expect(await store().addLink(row('later'), { ...bound, now: '2026-05-01T12:01:00.000Z' })).toBe(true);
    const taken = await Promise.all([store().takeLink('a'), store().takeLink('a'), store().takeLink('nothing')]);
    expect(taken.filter((link) => link !== undefined)).toEqual([row('a')]);
    await store().purgeSessions({ now: '2026-05-01T12:01:00.000Z', idle: '' });
    expect(await store().takeLink('b')).toBeUndefined();
    await store().addLink(row('d'), bound);
    await store().endAllSessions();
    expect(await store().takeLink('d')).toBeUndefined();
  });
}

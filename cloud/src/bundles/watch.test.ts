import { describe, expect, it } from 'vitest';
import { EVERY_TENANT, Watch } from './watch.js';

const nobodyGoes = () => {};
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('Watch', () => {
  it.each([
    ['of the tenant', 'a', 'a', true],
    ['of another tenant', 'b', 'a', false],
    ['of every tenant', EVERY_TENANT, 'a', true],
    ['of a tenant when all have changed', 'a', EVERY_TENANT, true],
  ])('wakes whoever waits for changes %s', async (_, waitsFor, changed, woken) => {
    const watch = new Watch();
    const waiting = watch.next(waitsFor, { ms: 60_000, onGone: nobodyGoes });
    watch.notify(changed);
    if (woken) await waiting;
    else await turn();
    expect(watch.size).toBe(woken ? 0 : 1);
    watch.close();
  });

  it('wakes nobody but the urgent before the turn is over in which something changed', async () => {
    const watch = new Watch();
    const woken: string[] = [];
    const wait = (name: string, urgent: boolean) =>
      watch.next('a', { ms: 60_000, onGone: nobodyGoes, urgent }).then(() => woken.push(name));
    const all = [wait('agent', false), wait('reader', true)];
    watch.notify('a');
    await Promise.resolve();
    expect(woken).toEqual(['reader']);
    await Promise.all(all);
    expect(woken).toEqual(['reader', 'agent']);
  });

  it('wakes all who have something to learn before others ask anew', async () => {
    const watch = new Watch();
    const order: string[] = [];
    const ask = () => watch.turn().then(() => order.push('asks'));
    await ask();
    const answer = async () => {
      // Each takes a while to answer, so that there are several turns.
      for (const end = performance.now() + 1; performance.now() < end; );
      order.push('woken');
      await ask();
    };
    const all = Array.from({ length: 50 }, () => watch.next('a', { ms: 60_000, onGone: nobodyGoes }).then(answer));
    watch.notify('a');
    await Promise.all(all);
    expect(order).toEqual(['asks', ...Array(50).fill('woken'), ...Array(50).fill('asks')]);
    await ask();
    watch.notify('a');
    watch.close();
    await ask();
  });

  it('lets other work come in between where many are woken', async () => {
    const watch = new Watch();
    let woken = 0;
    // Each takes a millisecond to answer.
    const answer = () => {
      for (const end = performance.now() + 1; performance.now() < end; );
      woken++;
    };
    const all = Array.from({ length: 200 }, () => watch.next('a', { ms: 60_000, onGone: nobodyGoes }).then(answer));
    watch.notify('a');
    const seen: number[] = [];
    while (woken < all.length) {
      await turn();
      seen.push(woken);
    }
    await Promise.all(all);
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.toSorted((one, other) => one - other)).toEqual(seen);
  });

  it('wakes whoever came before the change once, and forgets who has gone', async () => {
    const watch = new Watch();
    let go = () => {};
    const gone = watch.next('a', {
      ms: 60_000,
      onGone: (callback) => {
        go = callback;
      },
    });
    watch.notify('a');
    go();
    await gone;
    const later = watch.next('a', { ms: 60_000, onGone: nobodyGoes });
    await turn();
    expect(watch.size).toBe(1);
    watch.close();
    await later;
    await watch.next('a', { ms: 60_000, onGone: nobodyGoes });
    expect(watch.size).toBe(0);
  });

  it('ends a wait when its time is over', async () => {
    const watch = new Watch();
    await watch.next('a', { ms: 1, onGone: nobodyGoes });
    expect(watch.size).toBe(0);
  });
});

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { Room } from './garbage.js';

it('a large bundle is taken in between two collections', async () => {
  const order: string[] = [];
  const twice = new Promise<void>((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { kind } = (entry as unknown as { detail: { kind: number } }).detail;
        if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) order.push('collected');
      }
      if (!order.includes('taken in') || order.at(-1) !== 'collected') return;
      observer.disconnect();
      resolve();
    });
    observer.observe({ entryTypes: ['gc'] });
  });
  const room = new Room();
  await room.make(100 * 1024 * 1024);
  order.push('taken in');
  room.clear();
  await twice;
  expect(order.join()).toMatch(/^collected.*taken in.*collected$/);
});

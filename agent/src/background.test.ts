import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { clearAwayAfter } from './background.js';

it('what a large bundle leaves is collected without a lack of memory', async () => {
  const kinds: number[] = [];
  const collected = new Promise<void>((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) kinds.push((entry as unknown as { detail: { kind: number } }).detail.kind);
      if (!kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe({ entryTypes: ['gc'] });
  });
  clearAwayAfter(100 * 1024 * 1024);
  await collected;
  expect(kinds).toContain(constants.NODE_PERFORMANCE_GC_MAJOR);
});

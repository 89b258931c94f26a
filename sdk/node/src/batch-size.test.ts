import { expect, it } from 'vitest';
import { BatchSize } from './batch-size.js';

it('finds the size that a server takes, and asks beyond it once a minute', () => {
  let now = 0;
  const size = new BatchSize(1_000, () => now);
  const server = (most: number, times: number) => {
    let refusals = 0;
    for (let turn = 0; turn < times; turn += 1) {
      const { limit } = size;
      if (limit <= most) size.took(limit);
      else {
        size.refused(limit);
        refusals += 1;
      }
    }
    return refusals;
  };
  expect(size.limit).toBe(1_000);
  expect(server(100, 20)).toBeLessThan(8);
  expect(size.limit).toBe(100);
  now += 60_001;
  expect(server(100, 20)).toBeGreaterThan(0);
  expect(size.limit).toBe(100);
  for (let minute = 0; minute < 10; minute += 1) {
    now += 60_001;
    server(2_000, 20);
  }
  expect(size.limit).toBe(1_000);
});

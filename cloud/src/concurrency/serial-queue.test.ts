import { expect, it } from 'vitest';
import { SerialQueue } from './serial-queue.js';

it('a serial queue runs one piece of work at a time, in order, past failures', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const work = (name: string, fails = false) =>
    queue.run(async () => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([work('a'), work('b', true), work('c')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});

import { ServiceError } from '@authz-service/sdk/service-error';
import { expect, it } from 'vitest';
import { runAll } from './run-all.js';

it('never has more under way than it may, and takes up all it may', async () => {
  let open = 0;
  let most = 0;
  await runAll(Array(20).keys(), 4, async () => {
    most = Math.max(most, ++open);
    await new Promise(setImmediate);
    open -= 1;
  });
  expect(most).toBe(4);
});

it('gives outcomes in the order of the items, however they end', async () => {
  const outcomes = await runAll([3, 1, 2], 3, async (n) => {
    for (let turn = 0; turn < n; turn++) await new Promise(setImmediate);
    if (n === 1) throw new ServiceError('ambiguous_name', 'one');
    return n;
  });
  expect(outcomes).toMatchObject([
    { ok: true, value: 3 },
    { ok: false, error: { detail: 'one' } },
    { ok: true, value: 2 },
  ]);
});

it('starts nothing more once the whole has failed', async () => {
  const started: number[] = [];
  const all = runAll([0, 1, 2, 3, 4, 5], 2, async (n) => {
    started.push(n);
    if (n === 0) throw new Error('enough');
    await new Promise(setImmediate);
  });
  await expect(all).rejects.toThrow('enough');
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1]);
});

it('of nothing gives nothing', async () => {
  expect(await runAll([], 4, async () => 1)).toEqual([]);
});

import type { ChangeText } from '@authz-service/core/bundle/delta-write';
import { expect, it } from 'vitest';
import { PackedBundles } from './packed-bundles.js';

it.each([
  [1_000, 50_000, true],
  [1_001, 50_000, false],
  [2_000, 200_000, true],
  [2_001, 200_000, false],
  [100, 400, true],
  [101, 400, false],
])('sends %i changes of %i records as a delta: %s', async (count, size, isSent) => {
  const changes = new Array<ChangeText>(count);
  const pack = async () => Buffer.from('packed');
  const delta = new PackedBundles().delta('1.x', { mark: 'key' }, { since: () => ({ changes }), size, pack });
  expect((await delta)?.toString()).toBe(isSent ? 'packed' : undefined);
});

import type { ChangeText } from '@authz-service/core/bundle/delta-write';
import { expect, it } from 'vitest';
import { PackedBundles } from './packed-bundles.js';

const BASE = { revision: '1.x', digest: 'x' };

it.each([
  [1_000, 50_000, true],
  [1_001, 50_000, false],
  [2_000, 200_000, true],
  [2_001, 200_000, false],
  [100, 400, true],
  [101, 400, false],
])('sends %i changes of one commit, of %i records, as a delta: %s', async (count, size, isSent) => {
  const changes = new Array<ChangeText>(count);
  const pack = async () => Buffer.from('packed');
  const since = { count, read: () => ({ base: BASE, changes }) };
  const delta = new PackedBundles().delta('1.x', { mark: 'key' }, { since, size, pack, onlyNewest: false });
  expect((await delta?.archive)?.toString()).toBe(isSent ? 'packed' : undefined);
});

it('leads part of the way where that is as much as is made in place, but not those who publish', async () => {
  const found = { base: BASE, to: { revision: '3.y', digest: 'y' }, changes: [] };
  const bundles = new PackedBundles();
  const since = { count: 5_000, read: () => found };
  const how = { since, size: 50_000, pack: async () => Buffer.from('packed') };
  expect(bundles.delta('1.x', { mark: 'key' }, { ...how, onlyNewest: true })).toBeUndefined();
  expect(bundles.delta('1.x', { mark: 'key' }, { ...how, onlyNewest: false })?.to).toBe('3.y');
  expect(bundles.delta('1.x', { mark: 'key' }, { ...how, onlyNewest: true })).toBeUndefined();
});

import type { BundleLimits } from './types.js';

const MIB = 1024 * 1024;

/** The largest bundle that an agent takes. A million records take some 30 MiB packed and 250 MiB unpacked. */
export const BUNDLE_LIMITS: BundleLimits = { compressed: 128 * MIB, unpacked: 512 * MIB };

/** The most and the least changes that are made in place at once, whatever the size of the tenant. */
const IN_PLACE = { most: 50_000, least: 1_000 };

/**
 * The largest change of a tenant of so many records that is made in place, in one turn of the event loop, in the engine's steps:
 * a few milliseconds. For a larger one a second engine is compiled in slices, which takes longer the more records there are.
 */
export function stepsInPlaceMax(records: number): number {
  return Math.min(IN_PLACE.most, Math.max(IN_PLACE.least, records / 100));
}

/** The largest delta that an agent takes: more than a cloud sends. */
export const DELTA_LIMITS: BundleLimits = { compressed: 16 * MIB, unpacked: 32 * MIB };

import type { BundleLimits } from './types.js';

const MIB = 1024 * 1024;

/** What an agent takes of a bundle. A million records take some 30 MiB packed and 250 MiB unpacked. */
export const BUNDLE_LIMITS: BundleLimits = { compressed: 128 * MIB, unpacked: 512 * MIB };

/** What an agent takes of a delta: more than a cloud sends. */
export const DELTA_LIMITS: BundleLimits = { compressed: 16 * MIB, unpacked: 32 * MIB };

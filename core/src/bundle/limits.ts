import type { BundleLimits } from './types.js';

const MIB = 1024 * 1024;

/** The largest bundle that an agent takes. A million records take some 30 MiB packed and 250 MiB unpacked. */
export const BUNDLE_LIMITS: BundleLimits = { compressed: 128 * MIB, unpacked: 512 * MIB };

/** The largest delta that an agent takes: more than a cloud sends. */
export const DELTA_LIMITS: BundleLimits = { compressed: 16 * MIB, unpacked: 32 * MIB };

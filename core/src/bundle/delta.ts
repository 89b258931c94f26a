import type { RecordChange } from '../access/api/engine.js';
import type { BundleSlice } from './types.js';

/** A tenant's revision and digest. */
export interface RevisionRef {
  /** `NUMBER.DIGEST`, the digest cut to 16 hex digits. */
  revision: string;
  /** SHA-256 over the canonical records, in hex. */
  digest: string;
}

/** The base and the result of a delta for one tenant. */
export interface DeltaHead extends RevisionRef {
  tenant: { id: string; name: string };
  /** The base revision; the delta applies to no other. */
  base: RevisionRef;
  /** Absent if the tenant is whole; the base is of the same applications. */
  slice?: BundleSlice | undefined;
}

/** The content of `delta.json`: a head, and one change per line. */
export interface Delta extends DeltaHead {
  /** Each address once, in the order of kinds and then of addresses; credentials are left out. */
  changes: RecordChange[];
}

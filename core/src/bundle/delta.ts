import type { RecordChange } from '../decision/api/engine.js';

/** Where a tenant stands. */
export interface Standing {
  /** `NUMBER.DIGEST`, the digest cut to 16 hex digits. */
  revision: string;
  /** SHA-256 over the canonical records, in hex. */
  digest: string;
}

/** From where to where a delta leads one tenant. */
export interface DeltaHead extends Standing {
  tenant: { id: string; name: string };
  /** The base revision; the delta applies to no other. */
  base: Standing;
}

/** What `delta.json` says: a head, and one change per line. */
export interface Delta extends DeltaHead {
  /** Each address once, in the order of kinds and then of addresses; credentials are left out. */
  changes: RecordChange[];
}

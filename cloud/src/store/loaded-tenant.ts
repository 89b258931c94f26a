import type { StoredRecord } from '@authz-service/core/records/registry';

export type TakeRecords = (records: StoredRecord[]) => Promise<void>;

/** The rows of a tenant, and what its newest commit recorded: they differ if somebody else has written. */
export interface LoadedTenant {
  revision: number;
  /** See `RowDigest`; computed from the rows as they are. */
  rowDigest: string;
  committed: { revision: number; digest: string; rowDigest: string; at: string } | undefined;
}

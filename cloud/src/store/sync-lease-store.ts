import type { JsonObject } from '@authz-service/core/json/json';

/** The right of one controller to apply a stack from Git for a while, with what it last reported. Times are RFC 3339 in UTC. */
export interface SyncLease {
  stack: string;
  holder: string;
  /** Rises by one with each controller that takes the lease. */
  term: number;
  expires_at: string;
  updated_at: string;
  status: JsonObject;
}

/** A controller's demand for a lease. */
export interface LeaseClaim {
  stack: string;
  holder: string;
  /** The term that it holds; absent if it holds none. */
  term?: number | undefined;
  now: string;
  expires_at: string;
  /** Absent: the last report stays. */
  status?: JsonObject | undefined;
}

/** The part of the store that holds the leases of controllers. */
export interface SyncLeaseStore {
  /**
   * Takes a lease that nobody holds, or renews the one of this term; returns the lease as it is then. Who does not get it finds
   * another holder or term in it.
   */
  claimLease(tenant: string, claim: LeaseClaim): Promise<SyncLease>;
  /** The leases of a tenant by their stacks. */
  leases(tenant: string): Promise<SyncLease[]>;
  /** Removes a lease, and returns whether there was one. */
  removeLease(tenant: string, stack: string): Promise<boolean>;
}

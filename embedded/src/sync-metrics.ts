/** The source of the bundle that made a decision point ready. */
export type BundleSource = 'cache' | 'sync';

/** Counts and gauges of the sync. */
export interface SyncMetrics {
  becameReady(source: BundleSource): void;
  /** Something else is served, in this epoch; 0 if the cloud has declared none. */
  serves(epoch: number): void;
  refusedOld(): void;
  refusedBudgets(count: number): void;
  syncFailed(): void;
  syncState(state: { lastSyncMs: number | undefined; degraded: boolean; consecutiveFailures: number }): void;
}

/** The outcome of a poll. */
export interface Polled {
  /** Whether the cloud holds its answers until there is something newer. */
  holds: boolean;
  /** Whether another revision is served than before, or might be. */
  news: boolean;
  /** How far the clock of the cloud is ahead; undefined if that is not known. */
  aheadMs: number | undefined;
  /** A time at which what is served was the newest, as the cloud has signed it, by its clock. */
  newestAtMs: number | undefined;
  /** Whether what is served is on disk. */
  saved: boolean;
}

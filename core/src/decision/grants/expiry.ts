/** The moment from which a link no longer counts, in milliseconds since the epoch; null where it counts for ever. */
export type Expiry = number | null;

export function hasExpired(expiry: Expiry, now: number): boolean {
  return expiry !== null && now >= expiry;
}

/** The same moment as a number that can be compared. */
export function endOf(expiry: Expiry): number {
  return expiry ?? Number.POSITIVE_INFINITY;
}

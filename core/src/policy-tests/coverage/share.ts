import type { CoveragePoint } from './coverage-point.js';

/** How many points are shown, of those that need to be. */
export interface Share {
  covered: number;
  total: number;
  /** Rounded down to hundredths, so that 100 means all of them; 100 where there is nothing to show. */
  percent: number;
}

export function shareOf(points: readonly CoveragePoint[]): Share {
  const counted = points.filter(({ accepted, hits }) => accepted === undefined || hits > 0);
  const covered = counted.filter(({ hits }) => hits > 0).length;
  const total = counted.length;
  return { covered, total, percent: total === 0 ? 100 : Math.floor((covered * 10_000) / total) / 100 };
}

/** Whether a share reaches a threshold in percent, compared exactly: 99.99 % is less than 100. */
export function reaches({ covered, total }: Share, threshold: string): boolean {
  const [whole = '0', fraction = ''] = threshold.split('.');
  const scale = 10n ** BigInt(fraction.length);
  return BigInt(covered) * 100n * scale >= BigInt(whole + fraction) * BigInt(total);
}

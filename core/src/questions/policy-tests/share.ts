/** How many things are as they should be. */
export interface Share {
  covered: number;
  total: number;
  /** Rounded down to hundredths, so that 100 means all of them; 100 where there are none. */
  percent: number;
}

export function shareOf(covered: readonly boolean[]): Share {
  const count = covered.filter((one) => one).length;
  const total = covered.length;
  return { covered: count, total, percent: total === 0 ? 100 : Math.floor((count * 10_000) / total) / 100 };
}

/** Whether a share reaches a threshold in percent, compared exactly: 99.99 % is less than 100. */
export function reaches({ covered, total }: Share, threshold: string): boolean {
  const [whole = '0', fraction = ''] = threshold.split('.');
  const scale = 10n ** BigInt(fraction.length);
  return BigInt(covered) * 100n * scale >= BigInt(whole + fraction) * BigInt(total);
}

/** The memory of a process at a time. */
export interface Sample {
  hours: number;
  mib: number;
}

/** By how much the samples grow in an hour: the median of the slopes between any two (Theil and Sen), which garbage that comes and goes hardly moves. */
export function perHour(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((from, index) =>
    samples.slice(index + 1).map((to) => (to.mib - from.mib) / (to.hours - from.hours)),
  );
  slopes.sort((left, right) => left - right);
  return slopes[slopes.length >> 1] ?? 0;
}

/** Items sorted or merged in one step: under a millisecond. */
const STEP = 1000;

/** These items in order, sorted step by step: parts, and then pairs of parts. `compare` is as for `Array.sort`. */
export function* sortedInSteps<T>(
  items: readonly T[],
  compare: (left: T, right: T) => number,
): Generator<undefined, T[]> {
  let parts: T[][] = [];
  for (let from = 0; from < items.length; from += STEP) {
    parts.push(items.slice(from, from + STEP).sort(compare));
    yield;
  }
  while (parts.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < parts.length; index += 2)
      merged.push(yield* mergedInSteps(parts[index] ?? [], parts[index + 1] ?? [], compare));
    parts = merged;
  }
  return parts[0] ?? [];
}

function* mergedInSteps<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (left: T, right: T) => number,
): Generator<undefined, T[]> {
  const merged: T[] = [];
  let [from, at] = [0, 0];
  while (from < left.length || at < right.length) {
    const takesLeft = at >= right.length || (from < left.length && compare(left[from] as T, right[at] as T) <= 0);
    merged.push((takesLeft ? left[from++] : right[at++]) as T);
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}

/** By their UTF-16 units. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

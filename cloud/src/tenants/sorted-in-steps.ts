/** Texts sorted or merged in one step: under a millisecond. */
const STEP = 1000;

/** These texts in order, sorted step by step: parts, and then pairs of parts. */
export function* sortedInSteps(texts: readonly string[]): Generator<undefined, string[]> {
  let parts: string[][] = [];
  for (let from = 0; from < texts.length; from += STEP) {
    parts.push(texts.slice(from, from + STEP).sort(byCode));
    yield;
  }
  while (parts.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < parts.length; index += 2)
      merged.push(yield* mergedInSteps(parts[index] ?? [], parts[index + 1] ?? []));
    parts = merged;
  }
  return parts[0] ?? [];
}

function* mergedInSteps(left: readonly string[], right: readonly string[]): Generator<undefined, string[]> {
  const merged: string[] = [];
  let [from, at] = [0, 0];
  while (from < left.length || at < right.length) {
    const [one, other] = [left[from], right[at]];
    if (other === undefined || (one !== undefined && one <= other)) {
      merged.push(one as string);
      from += 1;
    } else {
      merged.push(other);
      at += 1;
    }
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}

function byCode(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

import { isExact } from '../../../json/exact-number.js';

/** Numbers that stand for all: each boundary, and `each` numbers in every gap between them, if there are so many. */
export function numbersFor(boundaries: Iterable<number>, each: number): number[] {
  const sorted = [...new Set([...boundaries].filter(isExact))].sort((left, right) => left - right);
  const [first = 0] = sorted;
  const last = sorted.at(-1) ?? 0;
  const numbers: number[] = [...sorted];
  if (sorted.length === 0) numbers.push(...Array.from({ length: each }, (_, at) => at + 1));
  else {
    for (let at = 1; at <= each; at++) numbers.push(beyond(first, -at), beyond(last, at));
    for (let at = 0; at + 1 < sorted.length; at++) {
      numbers.push(...between(sorted[at] as number, sorted[at + 1] as number, each));
    }
  }
  return [...new Set(numbers)];
}

/** A number so far beyond another that it differs from it, if a request may have one: whole ones for readable witnesses. */
function beyond(number: number, steps: number): number {
  const step = Math.max(1, Math.abs(number) * 2 ** -50);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(number + step * steps, Number.MAX_SAFE_INTEGER));
}

/** Numbers between two others, whole or of few digits if there are such. */
function between(low: number, high: number, count: number): number[] {
  const found: number[] = [];
  for (let at = 1; at <= count; at++) {
    const exact = low + ((high - low) / (count + 1)) * at;
    const rounded = [Math.round(exact), Number(exact.toPrecision(3)), exact].find(
      (one) => one > low && one < high && !found.includes(one),
    );
    if (rounded !== undefined) found.push(rounded);
  }
  return found;
}

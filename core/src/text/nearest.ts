/** Longer words are not compared: a remedy is for typing slips in names. */
const LENGTH_MAX = 256;

/**
 * The limit for looking up one word, in cells of the table of distances: some 20 ms. Others wait meanwhile, and a
 * tenant may have a million names.
 */
const WORK_MAX = 1_000_000;
/** The cost of skipping a candidate. */
const GLANCE = 10;

/**
 * The candidate that a mistyped word most likely means, for the remedy in an error text; undefined if none is near. The
 * distance counts insertions, deletions, replacements and swaps of neighbours, ignoring case, and may be up to a third
 * of the word's length. Of equally near candidates the first wins. If there are more candidates than `workMax` allows,
 * only the first ones are compared.
 */
export function nearest(word: string, candidates: Iterable<string>, workMax = WORK_MAX): string | undefined {
  return within(word, candidates, Math.max(1, Math.floor(word.length / 3)), workMax);
}

/**
 * The candidate that a word is taken for although the word may be right as it is: it differs in one letter, or in two of
 * a word of eight letters or more. Of very short words nothing can be said.
 */
export function slipOf(word: string, candidates: Iterable<string>): string | undefined {
  return word.length < 3 ? undefined : within(word, candidates, word.length < 8 ? 1 : 2, WORK_MAX);
}

function within(word: string, candidates: Iterable<string>, most: number, workMax: number): string | undefined {
  if (word.length > LENGTH_MAX) return undefined;
  const wanted = word.toLowerCase();
  let bound = most;
  let best: string | undefined;
  const work = { left: workMax };
  for (const candidate of candidates) {
    work.left -= GLANCE;
    if (work.left < 0) return best;
    if (candidate === word || Math.abs(candidate.length - word.length) > bound) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bound, work);
    if (distance > bound) continue;
    best = candidate;
    if (distance === 0) return best;
    bound = distance - 1;
  }
  return best;
}

/** The optimal string alignment distance, or some number above `bound` as soon as it must exceed it. */
function editDistance(left: string, right: string, bound: number, work: { left: number }): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    work.left -= right.length;
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(last, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      let cost = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1);
      const swapped = row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest > bound) return smallest;
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

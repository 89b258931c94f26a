import { nearest } from '../text/nearest.js';

/** The one of these names that a wrong one most likely meant. */
export type Suggest = (word: string, names: () => Iterable<string>) => string | undefined;

/** Looking for a near name may walk a million: only the first faults of a change-set get that remedy. */
const SUGGESTED_MAX = 10;
/** Among how many paths one that ends in a bare name is looked for. */
const LOOKED_AT_MAX = 100_000;

export function suggester(): Suggest {
  let left = SUGGESTED_MAX;
  return (word, names) => (left-- > 0 ? (nearest(word, names()) ?? qualified(word, names())) : undefined);
}

/** The path that ends in a bare name: the application before it was left out. */
function qualified(name: string, paths: Iterable<string>): string | undefined {
  let left = LOOKED_AT_MAX;
  for (const path of paths) {
    if (path.endsWith(`/${name}`)) return path;
    if (--left === 0) return undefined;
  }
  return undefined;
}

/**
 * Whether one path is a mistyped other one, word by word: a long path has room for a whole other word, and "did you mean"
 * must not send anybody from a role that is gone to the one that does the opposite.
 */
export function isSlip(typed: string, meant: string): boolean {
  const words = (path: string) => path.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const [left, right] = [words(typed), words(meant)];
  if (left.join('') === right.join('')) return true;
  return (
    left.length === right.length &&
    left.every((word, index) => {
      const other = right[index] ?? '';
      return word === other || (Math.abs(word.length - other.length) < 2 && nearest(word, [other]) !== undefined);
    })
  );
}

import { nearest } from '../nearest.js';

/** The one of these names that a wrong one most likely meant. */
export type Suggest = (word: string, names: () => Iterable<string>) => string | undefined;

/** Looking for a near name may walk a million: only the first faults of a change-set get that remedy. */
const SUGGESTED_MAX = 10;

export function suggester(): Suggest {
  let left = SUGGESTED_MAX;
  return (word, names) => (left-- > 0 ? nearest(word, names()) : undefined);
}

import { nearest } from '@authz-service/core/nearest';
import type { Route } from '../route.js';
import { UsageError } from './usage-error.js';

/** The error for words that lead to no command. */
export function wrongWord(target: Extract<Route, { to: 'unknown' | 'misplaced-flag' }>): UsageError {
  if (target.to === 'misplaced-flag') {
    return new UsageError(`The flag ${target.flag} stands before the command: write the command first.`);
  }
  const words = target.words.split(' ');
  const typed = words.pop() ?? '';
  const meant = nearest(typed, target.known);
  const remedy = meant === undefined ? `Known here: ${target.known.join(', ')}.` : `Did you mean "${meant}"?`;
  return new UsageError(`There is no command "${target.words}". ${remedy}`, words.join(' ') || undefined);
}

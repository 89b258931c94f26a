import { parseMoment } from './moment.js';
import { Failure } from './outcome.js';
import type { Scope } from './scope.js';

/** The milliseconds of `context.time`, or else of the decision's `now` (docs/semantics.md 4.6). */
export function presentMoment({ context, now }: Scope): number | Failure {
  const time = Object.hasOwn(context, 'time') ? context.time : undefined;
  const ms = time === undefined ? now : typeof time === 'string' ? parseMoment(time) : undefined;
  return ms ?? new Failure('context.time must be an RFC 3339 date and time with a zone');
}

import { createHash } from 'node:crypto';
import { ProblemError } from '../problem.js';

const CHECK_LENGTH = 16;

/**
 * A position in a list as opaque text. `list` names the list with its tenant and filter: a cursor does not fit any
 * other list, nor does a modified one.
 */
export function encodeCursor(list: readonly string[], position: string): string {
  return Buffer.from(checkOf(list, position) + position).toString('base64url');
}

/** The position. Throws `invalid_cursor` with the remedy that `refusal` names. */
export function decodeCursor(
  list: readonly string[],
  cursor: string,
  refusal = 'The cursor does not belong to this list with this filter: start again without a cursor.',
): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString('utf8');
  const position = text.slice(CHECK_LENGTH);
  if (bytes.toString('base64url') === cursor && text.slice(0, CHECK_LENGTH) === checkOf(list, position))
    return position;
  throw new ProblemError('invalid_cursor', refusal);
}

function checkOf(list: readonly string[], position: string): string {
  return createHash('sha256')
    .update(JSON.stringify([list, position]))
    .digest('hex')
    .slice(0, CHECK_LENGTH);
}

import { ProblemError } from '@authz-service/core/problem';
import { type Address, address, type Path } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { Credential } from './credential.js';

/** The kinds of records that a directory owns. */
export const OWNED_KINDS: readonly Kind[] = ['subject', 'group', 'group_membership'];

/** The owner of the records that a directory makes, in the place of a stack: its address. */
export function ownerOf(directory: Path): Address {
  return address('directory', directory);
}

/**
 * Throws `not_owner` unless whoever writes for a directory is that directory, and `forbidden` where a directory writes
 * anything but people, groups and memberships of its own.
 */
export function demandDirectory(
  { name, directory }: Pick<Credential, 'name' | 'directory'>,
  { stack, kinds }: { stack?: string; kinds: readonly Kind[] },
): void {
  if (directory === undefined) {
    if (!stack?.startsWith('directory/')) return;
    throw new ProblemError(
      'not_owner',
      `"${stack}" is a directory, for which only its own key writes: name another stack.`,
    );
  }
  if (stack === ownerOf(directory) && kinds.every((kind) => OWNED_KINDS.includes(kind))) return;
  throw new ProblemError(
    'forbidden',
    `The credential "${name}" is for the directory "${directory}", which writes its own people, groups and memberships alone: use a credential that writes records.`,
  );
}

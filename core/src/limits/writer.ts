import { ProblemError } from '../problem.js';
import type { Limits } from '../records/limits.js';
import { namesText } from './limits-text.js';

/** Who writes, and what it may write at most. */
export interface Writer {
  /** The name of the credential, for refusals. */
  name: string;
  limits: Limits;
}

/** Throws `outside_limits` unless a limited writer names a stack that it may write. */
export function demandStack({ name, limits: { stacks } }: Writer, stack: string | undefined): void {
  if (stack !== undefined && (stacks === undefined || stacks.includes(stack))) return;
  const may = stacks === undefined ? 'has limits' : `is limited to ${namesText('stack', stacks)}`;
  throw new ProblemError(
    'outside_limits',
    stack === undefined
      ? `The credential "${name}" ${may}, so that it has to name the stack that it writes for: give it as "stack".`
      : `The credential "${name}" ${may} and cannot write for the stack "${stack}": write for one of its own, or use a credential for that stack.`,
    [{ pointer: '/stack', detail: stack === undefined ? 'is missing' : 'is no stack of the credential' }],
  );
}

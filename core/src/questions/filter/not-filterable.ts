import { ProblemError } from '../../problem.js';
import type { Address } from '../../records/address.js';

/** Thrown where a part of a condition cannot be said of columns; whoever knows the policy adds its name. */
export class Unsayable extends Error {
  constructor(
    readonly clause: string,
    readonly why: string,
    readonly remedy: string,
  ) {
    super(why);
  }
}

/** The refusal of a filter, because of one clause of a policy. */
export function notFilterable({ clause, why, remedy }: Unsayable, policy: Address): ProblemError {
  const detail = `${policy} has the clause ${clause}: ${why}. ${remedy}.`;
  return new ProblemError('not_filterable', detail, [{ pointer: '', detail: `${clause}: ${why}`, address: policy }]);
}

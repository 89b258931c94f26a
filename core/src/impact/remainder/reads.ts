import type { PolicyGuard } from './remainders.js';

/** What a guard reads of what may be known: two requests that agree in it leave the same of the guard. */
export interface GuardReads {
  /** The members of the recorded properties; undefined if it looks at all of them. */
  readonly subjectProperties: readonly string[] | undefined;
  readonly resourceProperties: readonly string[] | undefined;
  readonly subjectId: boolean;
  readonly subjectType: boolean;
  /** The id or the name of the resource. */
  readonly resourceNames: boolean;
  readonly actionName: boolean;
  /** The paths of groups, roles and types of ancestors that it asks about. */
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly ancestors: readonly string[];
}

export type ReadsOf = (guard: PolicyGuard) => GuardReads;

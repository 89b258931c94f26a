import type { Candidate, Clause } from '@authz-service/sdk/decision';

/** Why one policy made it a denial. */
export interface DenialReason {
  policy: string;
  /** The clauses that decided; none where its condition is not the reason. */
  clauses: Clause[];
  why: string;
}

/**
 * Why a question is denied: the deciding DENY with the clauses by which it applies, else each ALLOW that does not apply, with
 * the clauses by which it does not.
 */
export function denialReasons(candidates: readonly Candidate[], deciding: Candidate | undefined): DenialReason[] {
  if (deciding !== undefined) return [reasonOf(deciding, holds)];
  return candidates
    .filter(({ effect, outcome }) => effect === 'ALLOW' && outcome !== 'applies')
    .map((candidate) => reasonOf(candidate, (clause) => !holds(clause)));
}

/** Whether the clause lets its policy apply: one of `unless` does so where it is not true. */
function holds({ clause, outcome }: Clause): boolean {
  return clause.startsWith('unless.') ? outcome !== 'true' : outcome === 'true';
}

function reasonOf({ policy, why, clauses = [] }: Candidate, decides: (clause: Clause) => boolean): DenialReason {
  return { policy, why, clauses: clauses.filter(decides) };
}

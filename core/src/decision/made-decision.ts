import type { Absent } from '../conditions/outcome.js';
import type { Question } from './question.js';
import { ACCESS_PATHS, decidingReason, noMatchReason } from './reason.js';
import type { Met } from './search.js';
import type { AccessPath, Decision, DecisionRequest } from './types.js';

/**
 * A decision that finds its words when it is asked for them: most callers want a yes or no, and words take as long as
 * the rest.
 */
export class MadeDecision implements Decision {
  readonly decision: boolean;

  constructor(
    private readonly question: Question,
    private readonly deciding: Met | null,
    private readonly absent: Absent | null,
  ) {
    this.decision = deciding !== null && !deciding.policy.deny;
  }

  get reason(): string {
    const { question: {request, type}, deciding } = this;
    if (deciding === null) return noMatchReason(request, type?.actions);
    return decidingReason(deciding.policy, deciding.way, request.action.name, this.absent);
  }

  get access_path(): AccessPath {
    return this.deciding === null ? 'none' : ACCESS_PATHS[this.deciding.way.rank];
  }

  get policy_id(): string | undefined {
    return this.deciding?.policy.id;
  }

  get policy(): string | undefined {
    return this.deciding?.policy.address;
  }

  get resource_id(): string | undefined {
    return this.question.resource?.id;
  }
}

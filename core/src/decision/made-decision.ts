import type { Absent } from '../conditions/outcome.js';
import type { Resource, ResourceType } from './entities.js';
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
    private readonly request: DecisionRequest,
    private readonly type: ResourceType | undefined,
    private readonly resource: Resource | undefined,
    private readonly deciding: Met | null,
    private readonly absent: Absent | null,
  ) {
    this.decision = deciding !== null && !deciding.policy.deny;
  }

  get reason(): string {
    const { request, deciding } = this;
    if (deciding === null) return noMatchReason(request, this.type?.actions);
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
    return this.resource?.id;
  }
}

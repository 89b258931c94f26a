import type { Absent } from '../conditions/outcome.js';
import type { Question } from './question.js';
import { ACCESS_PATHS, decidingReason, noMatchReason } from './reason.js';
import type { Met } from './search.js';
import type { AccessPath, Decision } from './types.js';

/** A decision that finds its words when it is asked for them: most callers read only whether it allows. */
export class MadeDecision implements Decision {
  readonly decision: boolean;
  readonly #question: Question;
  readonly #deciding: Met | null;
  readonly #absent: Absent | null;

  constructor(question: Question, deciding: Met | null, absent: Absent | null) {
    this.decision = deciding !== null && !deciding.policy.deny;
    this.#question = question;
    this.#deciding = deciding;
    this.#absent = absent;
  }

  get reason(): string {
    const { request, type } = this.#question;
    if (this.#deciding === null) return noMatchReason(request, type?.actions);
    const { policy, way } = this.#deciding;
    return decidingReason(policy, way, request.action.name, this.#absent);
  }

  get access_path(): AccessPath {
    return this.#deciding === null ? 'none' : ACCESS_PATHS[this.#deciding.way.rank];
  }

  get policy_id(): string | undefined {
    return this.#deciding?.policy.id;
  }

  get policy(): string | undefined {
    return this.#deciding?.policy.address;
  }

  get resource_id(): string | undefined {
    return this.#question.resource?.id;
  }
}

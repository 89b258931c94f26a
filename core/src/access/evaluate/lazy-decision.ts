import type { Absent } from '../../conditions/values/outcome.js';
import type { AccessPathKind, Decision } from '../api/decision.js';
import { ACCESS_PATH_KINDS } from '../graph/access-path.js';
import { isSuspended } from '../graph/suspension.js';
import type { Candidate } from './candidate.js';
import type { CombiningAlgorithm, UnmetPolicy } from './combining-algorithm.js';
import { decidingReason, noMatchReason, suspendedReason } from './reason.js';
import type { ResolvedRequest } from './resolved-request.js';

/** A decision that composes its texts when they are read: most callers read only `decision`. */
export class LazyDecision implements Decision {
  readonly decision: boolean;
  readonly #resolved: ResolvedRequest;
  readonly #deciding: Candidate | null;
  readonly #absent: Absent | null;
  readonly #unmet: UnmetPolicy | null;
  readonly #now: number;

  /** `now` is milliseconds since the epoch. */
  constructor(resolved: ResolvedRequest, { deciding, absent, unmet }: CombiningAlgorithm, now: number) {
    this.decision = deciding !== null && !deciding.policy.deny;
    this.#resolved = resolved;
    this.#deciding = deciding;
    this.#absent = absent;
    this.#unmet = unmet;
    this.#now = now;
  }

  get reason(): string {
    const { subject } = this.#resolved;
    if (subject !== undefined && isSuspended(subject, this.#now)) return suspendedReason(subject);
    if (this.#deciding === null) return noMatchReason(this.#resolved, this.#unmet);
    const { policy, path } = this.#deciding;
    return decidingReason(policy, path, this.#resolved.request.action.name, this.#absent);
  }

  get access_path(): AccessPathKind {
    return this.#deciding === null ? 'none' : ACCESS_PATH_KINDS[this.#deciding.path.rank];
  }

  get policy_id(): string | undefined {
    return this.#deciding?.policy.id;
  }

  get policy(): string | undefined {
    return this.#deciding?.policy.address;
  }

  get absent(): string | undefined {
    if (this.decision) return undefined;
    return (this.#deciding === null ? this.#unmet?.absent : this.#absent)?.attribute;
  }

  get resource_id(): string | undefined {
    return this.#resolved.resource?.id;
  }
}

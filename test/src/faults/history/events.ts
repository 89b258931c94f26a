import type { DecisionRequest } from '@authz-service/core/request';
import type { Change } from '@authz-service/core/state/change';

/** The things that were done to the service and what it answered, with times in milliseconds of one monotonic clock. */
export interface History {
  /** The tenant before the first commit of the history. */
  start: Snapshot;
  commits: Commit[];
  sightings: Sighting[];
  answers: Answer[];
  /** The tenant after all. */
  end: Snapshot;
}

export interface Snapshot {
  revision: string;
  records: { kind: string; address: string; fields: object }[];
}

/** A change-set that was sent under one idempotency key until there was an outcome. */
export interface Commit {
  id: string;
  sentAt: number;
  answeredAt: number;
  changes: Change[];
  /** The acknowledged revision; or why there is none. */
  outcome: { revision: string } | 'unchanged' | 'refused';
}

/** A process named the revision that it serves. `process` outlives restarts: it stands for an agent with its cache. */
export interface Sighting {
  process: string;
  askedAt: number;
  answeredAt: number;
  revision: string;
}

/** Questions answered together, from one revision between the two that the process named before and after. */
export interface Answer {
  process: string;
  askedAt: number;
  answeredAt: number;
  before: string;
  after: string;
  questions: DecisionRequest[];
  decisions: boolean[];
}

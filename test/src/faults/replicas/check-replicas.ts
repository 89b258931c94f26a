import { revisionNumber } from '@authz-service/core/state/revision';
import { check, type Violation } from '../history/check.js';
import type { History } from '../history/events.js';

/** The record of several replicas and their agents, with times in milliseconds of one monotonic clock. */
export interface ReplicaHistory {
  history: History;
  demands: Demand[];
  enforcements: Enforcement[];
  /** The answers by what may only be so old. */
  bounded: BoundedAnswer[];
  /** Operators who removed each other, and what became of them. */
  duels: Duel[];
}

/** A request that named the earliest revision by which it may be answered: one that had been acknowledged. */
export interface Demand {
  process: string;
  wanted: string;
  /** The revision of the answer; or that the process said that there is no such revision. */
  answered: string | 'unknown';
}

/** An answer of a process that refuses to answer by what it has not known to be the newest for longer than this. */
export interface BoundedAnswer {
  process: string;
  askedAt: number;
  maxAgeMs: number;
  revision: string;
}

/** The cloud reported that every agent enforces a revision. */
export interface Enforcement {
  revision: string;
  answeredAt: number;
}

/** Two operators, the last ones, each took away the other's rights at the same time. */
export interface Duel {
  acknowledged: number;
  /** The operators that the database had after that. */
  left: string[];
}

export interface ReplicaViolation {
  rule:
    | Violation['rule']
    /** An answer is never from before the revision that the request named. */
    | 'the demanded revision answers'
    /** An answer with a maximum age knows every commit that was acknowledged longer before the request than that. */
    | 'an answer is no older than it may be'
    /** Once a revision is reported as enforced, no agent decides by an older one. */
    | 'what is enforced stays enforced'
    /** An operator is left. */
    | 'an operator is left';
  detail: string;
}

/** The violations in what was recorded; none if it is sound. */
export function checkReplicas({ history, demands, bounded, enforcements, duels }: ReplicaHistory): ReplicaViolation[] {
  return [
    ...check(history),
    ...demanded(demands),
    ...tooOld(history, bounded),
    ...enforced(history, enforcements),
    ...operatorless(duels),
  ];
}

function* demanded(demands: readonly Demand[]): Generator<ReplicaViolation> {
  for (const { process, wanted, answered } of demands) {
    if (answered !== 'unknown' && revisionNumber(answered) >= revisionNumber(wanted)) continue;
    const said = answered === 'unknown' ? 'said that there is no such revision' : `answered from ${answered}`;
    yield { rule: 'the demanded revision answers', detail: `${process} was asked for ${wanted} and ${said}.` };
  }
}

function* tooOld({ commits }: History, bounded: readonly BoundedAnswer[]): Generator<ReplicaViolation> {
  const acknowledged = commits
    .flatMap(({ outcome, answeredAt }) =>
      typeof outcome === 'object' ? [{ number: revisionNumber(outcome.revision), answeredAt }] : [],
    )
    .sort((one, other) => one.answeredAt - other.answeredAt);
  let highest = 0;
  let next = 0;
  const oldest = ({ askedAt, maxAgeMs }: BoundedAnswer) => askedAt - maxAgeMs;
  for (const answer of bounded.toSorted((one, other) => oldest(one) - oldest(other))) {
    for (let commit = acknowledged[next]; commit && commit.answeredAt < oldest(answer); commit = acknowledged[++next])
      highest = Math.max(highest, commit.number);
    if (revisionNumber(answer.revision) >= highest) continue;
    const { process, revision, maxAgeMs } = answer;
    const detail = `${process} answered by ${revision} more than ${maxAgeMs} ms after revision ${highest} had been acknowledged.`;
    yield { rule: 'an answer is no older than it may be', detail };
  }
}

function* enforced({ answers }: History, enforcements: readonly Enforcement[]): Generator<ReplicaViolation> {
  const agents = answers.filter(({ process }) => process.startsWith('agent'));
  let highest = 0;
  // In the order of time, each answer meets what was reported before it was asked for.
  const reports = enforcements.toSorted((one, other) => one.answeredAt - other.answeredAt).values();
  let next = reports.next();
  for (const answer of agents.toSorted((one, other) => one.askedAt - other.askedAt)) {
    for (; !next.done && next.value.answeredAt < answer.askedAt; next = reports.next())
      highest = Math.max(highest, revisionNumber(next.value.revision));
    if (revisionNumber(answer.before) >= highest) continue;
    const detail = `${answer.process} decided by ${answer.before} after revision ${highest} had been reported as enforced.`;
    yield { rule: 'what is enforced stays enforced', detail };
  }
}

function* operatorless(duels: readonly Duel[]): Generator<ReplicaViolation> {
  for (const { acknowledged, left } of duels) {
    if (acknowledged < 2 && left.length > 0) continue;
    const detail = `Of two last operators, ${acknowledged} were taken away by an answer, and ${left.length} are left.`;
    yield { rule: 'an operator is left', detail };
  }
}

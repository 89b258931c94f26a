import { canonicalJson } from '@authz-service/core/json/json';
import { isDistributed, type Kind } from '@authz-service/core/records/kinds';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { Answer, History, Sighting } from './events.js';
import { Timeline } from './timeline.js';

/** The rules that a history can break. */
export type Rule =
  /** An acknowledged commit exists for good, under its revision, and no other does. */
  | 'commits are kept'
  /** Every revision contains everything that its commits contained. */
  | 'nothing is half applied'
  /** No process names a revision that never existed, or does not exist yet. */
  | 'revisions are real'
  /** No process names an older revision than before, also after restarts. */
  | 'revisions never go backwards'
  /** The cloud never answers from anything older than what it has acknowledged. */
  | 'the cloud knows what it acknowledged'
  /** An answer agrees with the records of one revision between those named before and after it. */
  | 'decisions are of one revision'
  /** Says that what a served revision took away is not granted any more. */
  | 'revocations hold';

export interface Violation {
  rule: Rule;
  detail: string;
}

/** The process that commits; it may be asked, too. */
export const CLOUD = 'cloud';

/** How many violations are listed: one fault usually shows in many places. */
const TOLD_MAX = 20;

/** The violations in the history; none if it is sound. */
export function check(history: History): Violation[] {
  const timeline = new Timeline(history.start, history.commits);
  const violations = [
    ...commitsKept(history, timeline),
    ...halfApplied(history, timeline),
    ...revisionsReal(history, timeline),
    ...backwards(history),
    ...cloudForgot(history, timeline),
    ...answersWrong(history, timeline),
  ];
  return violations.slice(0, TOLD_MAX);
}

function* commitsKept(history: History, timeline: Timeline): Generator<Violation> {
  let expected = timeline.first;
  for (const { number, id } of timeline.commits) {
    expected += 1;
    if (number === expected) continue;
    const detail = `Commit ${id} was acknowledged as revision ${number} where ${expected} was to come.`;
    yield { rule: 'commits are kept', detail };
    expected = number;
  }
  const last = revisionNumber(history.end.revision);
  if (last === expected) return;
  yield { rule: 'commits are kept', detail: `The tenant ended at revision ${last}, not at ${expected}.` };
}

function* halfApplied({ end }: History, timeline: Timeline): Generator<Violation> {
  for (const { number, id, outcome } of timeline.commits) {
    const text = timeline.text(number);
    if (text === outcome.revision) continue;
    const detail = `Commit ${id} was acknowledged as ${outcome.revision}; what was sent makes ${text}.`;
    yield { rule: 'nothing is half applied', detail };
  }
  const left = timeline.records(timeline.last);
  for (const { kind, address, fields } of end.records) {
    if (!isDistributed({ kind: kind as Kind, fields })) continue;
    const expected = left.get(address);
    left.delete(address);
    if (expected !== undefined && canonicalJson(expected.fields) === canonicalJson(fields)) continue;
    const said = expected === undefined ? 'nothing' : JSON.stringify(expected.fields);
    const detail = `${address} ended as ${JSON.stringify(fields)}; what was sent makes ${said}.`;
    yield { rule: 'nothing is half applied', detail };
  }
  for (const address of left.keys()) yield { rule: 'nothing is half applied', detail: `${address} is missing.` };
}

function* revisionsReal({ sightings }: History, timeline: Timeline): Generator<Violation> {
  const sentAt = new Map(timeline.commits.map((commit) => [commit.number, commit.sentAt]));
  for (const { process, revision, answeredAt } of sightings) {
    const number = revisionNumber(revision);
    const text = timeline.text(number);
    if (text !== revision) {
      const detail = `${process} served ${revision}; what was sent makes ${text ?? 'no such revision'}.`;
      yield { rule: 'revisions are real', detail };
    } else if (answeredAt < (sentAt.get(number) ?? 0)) {
      yield { rule: 'revisions are real', detail: `${process} served ${revision} before it was sent.` };
    }
  }
}

function* backwards({ sightings }: History): Generator<Violation> {
  for (const [process, own] of byProcess(sightings)) {
    const highest = new HighWater(own);
    for (const { askedAt, revision } of own) {
      const known = highest.before(askedAt);
      if (revisionNumber(revision) >= known) continue;
      const detail = `${process} served ${revision} after it had served revision ${known}.`;
      yield { rule: 'revisions never go backwards', detail };
    }
  }
}

function* cloudForgot({ sightings }: History, timeline: Timeline): Generator<Violation> {
  const acknowledged = new HighWater(timeline.commits.map(({ answeredAt, outcome }) => ({ ...outcome, answeredAt })));
  for (const { askedAt, revision } of sightings.filter(({ process }) => process === CLOUD)) {
    const known = acknowledged.before(askedAt);
    if (revisionNumber(revision) >= known) continue;
    const detail = `The cloud served ${revision} after it had acknowledged revision ${known}.`;
    yield { rule: 'the cloud knows what it acknowledged', detail };
  }
}

function* answersWrong({ sightings, answers }: History, timeline: Timeline): Generator<Violation> {
  const seen = byProcess(sightings);
  // No commit that was sent later can be in an answer.
  const newest = new HighWater(timeline.commits.map(({ sentAt, outcome }) => ({ ...outcome, answeredAt: sentAt })));
  for (const [process, own] of byProcess(answers)) {
    const highest = new HighWater(seen.get(process) ?? []);
    for (const answer of own) {
      yield* notOfOneRevision(answer, timeline);
      yield* revoked(answer, highest.before(answer.askedAt), newest, timeline);
    }
  }
}

function* notOfOneRevision(answer: Answer, timeline: Timeline): Generator<Violation> {
  const [from, to] = [revisionNumber(answer.before), revisionNumber(answer.after)];
  for (let number = from; number <= to; number++) {
    if (answer.questions.every((question, index) => timeline.allows(number, question) === answer.decisions[index]))
      return;
  }
  const asked = answer.questions.map((question, index) => `${shown(question)} ${answer.decisions[index]}`);
  const detail = `${answer.process} answered ${asked.join(', ')}, which no revision from ${from} to ${to} says.`;
  yield { rule: 'decisions are of one revision', detail };
}

function* revoked(answer: Answer, from: number, newest: HighWater, timeline: Timeline): Generator<Violation> {
  const to = Math.max(from, newest.before(answer.answeredAt));
  for (const [index, question] of answer.questions.entries()) {
    if (!answer.decisions[index]) continue;
    let granted = false;
    for (let number = Math.max(from, timeline.first); number <= to && !granted; number++)
      granted = timeline.allows(number, question);
    if (granted) continue;
    const detail = `${answer.process} allowed ${shown(question)} after it had served revision ${from}, from which on it is denied.`;
    yield { rule: 'revocations hold', detail };
  }
}

/** The highest revision known at a time. */
class HighWater {
  readonly #times: number[] = [];
  readonly #highest: number[] = [];

  constructor(known: readonly { answeredAt: number; revision: string }[]) {
    let highest = 0;
    for (const { answeredAt, revision } of [...known].sort((left, right) => left.answeredAt - right.answeredAt)) {
      highest = Math.max(highest, revisionNumber(revision));
      this.#times.push(answeredAt);
      this.#highest.push(highest);
    }
  }

  /** Returns what was known before `time`; 0 for nothing. */
  before(time: number): number {
    let [from, to] = [0, this.#times.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#times[middle] ?? 0) < time) from = middle + 1;
      else to = middle;
    }
    return this.#highest[from - 1] ?? 0;
  }
}

function byProcess<T extends Sighting | Answer>(events: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const event of events) {
    const own = found.get(event.process);
    if (own === undefined) found.set(event.process, [event]);
    else own.push(event);
  }
  return found;
}

function shown({ subject, action, resource }: Answer['questions'][number]): string {
  return `${subject.id} ${action.name} ${resource.name ?? resource.id}:`;
}

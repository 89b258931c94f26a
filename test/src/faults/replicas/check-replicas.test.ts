import { revisionText } from '@authz-service/core/state/revision';
import { describe, expect, it } from 'vitest';
import type { Answer, Commit, History } from '../history/events.js';
import { checkReplicas, type ReplicaHistory } from './check-replicas.js';

/** A revision by its number; only that is looked at. */
const at = (number: number) => revisionText(number, '0'.repeat(16));
const EMPTY = { revision: at(1), records: [] };
const HISTORY: History = { start: EMPTY, commits: [], sightings: [], answers: [], end: EMPTY };
const answer = (process: string, askedAt: number, revision: string): Answer => ({
  ...{ process, askedAt, answeredAt: askedAt + 1, before: revision, after: revision },
  ...{ questions: [], decisions: [] },
});

/** Returns what is found beside the rules of `check`, which knows no revisions here. */
function found(recorded: Partial<ReplicaHistory>): string[] {
  const none = { history: HISTORY, demands: [], bounded: [], enforcements: [], duels: [] };
  const own = [
    'the demanded revision answers',
    'an answer is no older than it may be',
    'what is enforced stays enforced',
    'an operator is left',
  ];
  return checkReplicas({ ...none, ...recorded })
    .map(({ rule }) => rule as string)
    .filter((rule) => own.includes(rule));
}

describe('checkReplicas', () => {
  it.each([
    ['the demanded one', at(4), []],
    ['a later one', at(5), []],
    ['an earlier one', at(3), ['the demanded revision answers']],
    ['none, though it was acknowledged', 'unknown', ['the demanded revision answers']],
  ])('judges an answer by %s', (_, answered, rules) => {
    expect(found({ demands: [{ process: 'replica-1', wanted: at(4), answered }] })).toEqual(rules);
  });

  it.each([
    ['as young as it must be', 300, at(2), []],
    ['of the newest revision', 301, at(3), []],
    ['from before what was acknowledged longer ago', 301, at(2), ['an answer is no older than it may be']],
  ])('judges an answer %s', (_, askedAt, revision, rules) => {
    const commit = (number: number, answeredAt: number): Commit => ({
      ...{ id: `${number}`, sentAt: answeredAt - 1, answeredAt, changes: [], outcome: { revision: at(number) } },
    });
    const history = { ...HISTORY, commits: [commit(3, 200), commit(2, 100)] };
    expect(found({ history, bounded: [{ process: 'replica-0', askedAt, maxAgeMs: 100, revision }] })).toEqual(rules);
  });

  it.each([
    ['asked before the report', answer('agent-0', 9, at(3)), []],
    ['by the enforced revision', answer('agent-0', 11, at(4)), []],
    ['of a replica, which is no agent', answer('replica-0', 11, at(3)), []],
    ['by an older revision', answer('agent-0', 11, at(3)), ['what is enforced stays enforced']],
  ])('judges a decision %s', (_, one, rules) => {
    const history = { ...HISTORY, answers: [answer('agent-1', 8, at(4)), one] };
    expect(found({ history, enforcements: [{ revision: at(4), answeredAt: 10 }] })).toEqual(rules);
  });

  it.each([
    ['one was refused', { acknowledged: 1, left: ['admin'] }, []],
    ['nobody was told anything', { acknowledged: 0, left: ['admin', 'deputy'] }, []],
    ['both were told that it was done', { acknowledged: 2, left: ['admin'] }, ['an operator is left']],
    ['nobody is left', { acknowledged: 1, left: [] }, ['an operator is left']],
  ])('judges two operators of whom %s', (_, duel, rules) => {
    expect(found({ duels: [duel] })).toEqual(rules);
  });
});

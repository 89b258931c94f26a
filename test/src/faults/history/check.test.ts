import { digestRecords } from '@authz-service/core/bundle/digest';
import { declare } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import type { Change } from '@authz-service/core/state/change';
import { revisionText } from '@authz-service/core/state/revision';
import { describe, expect, it } from 'vitest';
import { CLOUD, check, type Rule } from './check.js';
import type { Answer, Commit, History, Sighting, Snapshot } from './events.js';

const FIXED = [
  declare('application', { name: 'lib' }),
  declare('resource_type', { application: 'lib', name: 'doc', actions: ['read'] }),
  declare('resource', { type: 'lib/doc', name: 'd' }),
  declare('subject', { type: 'user', id: 'u' }),
  declare('subject', { type: 'user', id: 'v' }),
  declare('policy', {
    application: 'lib',
    name: 'p',
    effect: 'ALLOW',
    priority: 0,
    resource_type: 'lib/doc',
    actions: ['read'],
  }),
];
const link = (subject: string) =>
  declare('policy_assignment', { policy: 'lib/p', entity_type: 'subject', entity: `user/${subject}` });
const grant = (subject: string): Change => ({ op: 'create', kind: 'policy_assignment', fields: link(subject).fields });
const revoke = (subject: string): Change => ({ op: 'delete', address: link(subject).address });
const may = (id: string): DecisionRequest => ({
  subject: { type: 'user', id },
  resource: { type: 'doc', name: 'd' },
  action: { name: 'read' },
});

/** The tenant at a revision at which these may read. */
function at(number: number, readers: string[]): Snapshot {
  const records = [...FIXED, ...readers.map(link)];
  const digest = digestRecords(records.map((record) => ({ ...record, id: record.address })) as never);
  return { revision: revisionText(number, digest), records };
}

const STATES = [at(4, ['u']), at(5, ['u', 'v']), at(6, ['v']), at(7, ['u', 'v'])];
const [R4 = '', R5 = '', R6 = '', R7 = ''] = STATES.map(({ revision }) => revision);
const [START, , , END] = STATES as [Snapshot, Snapshot, Snapshot, Snapshot];

const commit = (id: string, at: [number, number], changes: Change[], revision: string): Commit => ({
  id,
  sentAt: at[0],
  answeredAt: at[1],
  changes,
  outcome: { revision },
});
const COMMITS = [
  commit('a', [10, 20], [grant('v')], R5),
  commit('b', [30, 40], [revoke('u')], R6),
  commit('c', [50, 60], [grant('u')], R7),
];
const sighting = (process: string, at: [number, number], revision: string): Sighting => ({
  process,
  askedAt: at[0],
  answeredAt: at[1],
  revision,
});
const answer = (process: string, at: [number, number], between: [string, string], decisions: boolean[]): Answer => ({
  process,
  askedAt: at[0],
  answeredAt: at[1],
  before: between[0],
  after: between[1],
  questions: [may('u'), may('v')].slice(0, decisions.length),
  decisions,
});

const history = (change: Partial<History> = {}): History => ({
  start: START,
  commits: COMMITS,
  sightings: [],
  answers: [],
  end: END,
  ...change,
});

describe('a history is sound', () => {
  const rows: [behaviour: string, history: History][] = [
    ['that holds commits alone', history()],
    ['whatever order they are recorded in', history({ commits: [...COMMITS].reverse() })],
    [
      'in which a commit was refused, and one changed nothing',
      history({
        commits: [
          ...COMMITS,
          { id: 'r', sentAt: 41, answeredAt: 42, changes: [grant('v')], outcome: 'refused' },
          { id: 's', sentAt: 43, answeredAt: 44, changes: [], outcome: 'unchanged' },
        ],
      }),
    ],
    [
      'in which an agent lags behind and skips a revision',
      history({ sightings: [sighting('agent', [70, 71], R4), sighting('agent', [72, 73], R7)] }),
    ],
    [
      'in which two reports that cross come in either order',
      history({ sightings: [sighting('agent', [70, 80], R7), sighting('agent', [71, 79], R6)] }),
    ],
    [
      'in which a revision is served before it is acknowledged',
      history({ sightings: [sighting(CLOUD, [35, 36], R6)] }),
    ],
    [
      'in which answers are of one of the revisions between',
      history({ answers: [R4, R5, R6].map(() => answer('agent', [70, 71], [R4, R6], [true, true])) }),
    ],
    [
      'in which an agent that lags behind allows what it does not know to be revoked',
      history({
        sightings: [sighting('agent', [44, 45], R5)],
        answers: [answer('agent', [46, 47], [R5, R5], [true, true])],
      }),
    ],
    [
      'in which a right is granted anew',
      history({
        sightings: [sighting('agent', [44, 45], R6)],
        answers: [answer('agent', [52, 55], [R6, R7], [true, true])],
      }),
    ],
  ];

  it.each(rows)('%s', (_, sound) => {
    expect(check(sound)).toEqual([]);
  });
});

describe('a history is refused', () => {
  const rows: [behaviour: string, rule: Rule, history: History][] = [
    [
      'where an acknowledged commit is lost at the end',
      'commits are kept',
      history({ end: { ...(STATES[2] as Snapshot) } }),
    ],
    [
      'where two commits got one revision',
      'commits are kept',
      history({ commits: [...COMMITS, commit('d', [61, 62], [], R7)] }),
    ],
    [
      'where there is a revision that nobody committed',
      'commits are kept',
      history({ commits: COMMITS.filter(({ id }) => id !== 'b') }),
    ],
    [
      'where only half of a change-set is in its revision',
      'nothing is half applied',
      history({
        commits: COMMITS.map((one) => (one.id === 'b' ? { ...one, changes: [revoke('u'), revoke('v')] } : one)),
      }),
    ],
    [
      'where a record is missing at the end',
      'nothing is half applied',
      history({ end: { ...END, records: END.records.slice(0, -1) } }),
    ],
    [
      'where a record is left at the end',
      'nothing is half applied',
      history({ end: { ...END, records: [...END.records, declare('subject', { type: 'user', id: 'w' })] } }),
    ],
    [
      'where a record ends with other fields',
      'nothing is half applied',
      history({
        end: {
          ...END,
          records: END.records.map((record) => (record.kind === 'subject' ? { ...record, fields: {} } : record)),
        },
      }),
    ],
    [
      'where a process served a revision of another digest',
      'revisions are real',
      history({ sightings: [sighting('agent', [70, 71], R6.replace('6.', '5.'))] }),
    ],
    [
      'where a process served a revision before its commit was sent',
      'revisions are real',
      history({ sightings: [sighting('agent', [25, 26], R6)] }),
    ],
    [
      'where a process served an older revision than before',
      'revisions never go backwards',
      history({ sightings: [sighting('agent', [70, 71], R6), sighting('agent', [72, 73], R5)] }),
    ],
    [
      'where the cloud does not know what it acknowledged',
      'the cloud knows what it acknowledged',
      history({ sightings: [sighting(CLOUD, [45, 46], R5)] }),
    ],
    [
      'where one answer is of no revision between',
      'decisions are of one revision',
      history({ answers: [answer('agent', [70, 71], [R6, R6], [true])] }),
    ],
    [
      'where answers given together are of two revisions',
      'decisions are of one revision',
      history({ answers: [answer('agent', [70, 71], [R4, R6], [false, false])] }),
    ],
    [
      'where an agent denies what every revision between grants',
      'decisions are of one revision',
      history({ answers: [answer('agent', [70, 71], [R5, R6], [true, false])] }),
    ],
    [
      'where an agent allows what a revision that it served took away, though it names an older one now',
      'revocations hold',
      history({
        sightings: [sighting('agent', [44, 45], R6)],
        answers: [answer('agent', [46, 47], [R5, R5], [true])],
      }),
    ],
  ];

  it.each(rows)('%s', (_, rule, broken) => {
    expect(check(broken).map((violation) => violation.rule)).toContain(rule);
  });

  it('in words that name the process, the question and the revisions', () => {
    const [violation] = check(history({ answers: [answer('agent-2', [70, 71], [R6, R6], [true])] }));
    expect(violation?.detail).toBe('agent-2 answered u read d: true, which no revision from 6 to 6 says.');
  });
});

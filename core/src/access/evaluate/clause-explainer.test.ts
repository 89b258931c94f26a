import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { addressOf, definitionOf } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import type { ExplainedCandidate } from '../api/decision.js';
import type { EngineRecord } from '../api/engine.js';
import { compileEngine } from '../engine/compile-engine.js';

const NOW = Date.parse('2027-03-01T12:00:00Z');

function record(kind: Kind, raw: Record<string, unknown>): EngineRecord {
  const fields = definitionOf(kind).schema.parse(raw);
  return { kind, id: addressOf(kind, fields), fields } as unknown as EngineRecord;
}

const base = [
  record('application', { name: 'app' }),
  record('resource_type', { application: 'app', name: 'folder', actions: ['read'] }),
  record('resource_type', {
    application: 'app',
    name: 'doc',
    actions: ['read'],
    parents: [{ type: 'app/folder', property: 'in' }],
  }),
  record('resource', { type: 'app/folder', name: 'f', properties: { owner: 'alice' } }),
  record('resource', {
    type: 'app/doc',
    name: 'd',
    properties: { amount: 12500, owner: 'bob' },
    parents: ['app/folder/f'],
  }),
  record('subject', { type: 'user', id: 'u', properties: { teams: ['a', 'b'], limit: 10_000 } }),
];

/** The candidates of a tenant whose policies have these fields. */
function explained(
  guards: readonly Record<string, unknown>[],
  context: DecisionRequest['context'] = {},
): ExplainedCandidate[] {
  const policies = guards.flatMap((guard, index) => [
    record('policy', {
      ...{ application: 'app', name: `p${index}`, effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'] },
      ...guard,
    }),
    record('policy_assignment', { policy: `app/p${index}`, entity_type: 'subject', entity: 'user/u' }),
  ]);
  const request = {
    subject: { type: 'user', id: 'u' },
    resource: { type: 'doc', name: 'd' },
    action: { name: 'read' },
  };
  return compileEngine([...base, ...policies]).explain({ ...request, context }, NOW).candidates;
}

const clausesOf = (guard: Record<string, unknown>, context?: DecisionRequest['context']) =>
  // Another one applies, so that a failure does not leave the answer open.
  explained([guard, { priority: -1 }], context)[0]?.clauses;

describe('the clauses of an explanation', () => {
  it.each<[string, string, object, object[]]>([
    [
      'each with its values',
      'resource.properties.amount < 10000 && resource.properties.owner == subject.id',
      {},
      [
        {
          clause: 'resource.properties.amount < 10000',
          outcome: 'false',
          values: { 'resource.properties.amount': '12500' },
        },
        {
          clause: 'resource.properties.owner == subject.id',
          outcome: 'false',
          values: { 'resource.properties.owner': '"bob"', 'subject.id': '"u"' },
        },
      ],
    ],
    [
      'those that are true beside those that are false, and of negations what they negate',
      'subject.properties.limit > 5 && !(context.n in [1, 2])',
      { n: 1 },
      [
        { clause: 'subject.properties.limit > 5', outcome: 'true', values: { 'subject.properties.limit': '10000' } },
        { clause: 'context.n in [1, 2]', outcome: 'true', values: { 'context.n': '1' } },
      ],
    ],
    [
      'the attribute that is absent',
      'context.mfa.level >= 2',
      {},
      [{ clause: 'context.mfa.level >= 2', outcome: 'absent', why: 'context.mfa' }],
    ],
    [
      'why one fails',
      'context.n < 3 || context.m',
      { n: 'x', m: false },
      [
        {
          clause: 'context.n < 3',
          outcome: 'failed',
          why: '"<" does not take context.n (a string) and a number',
          values: { 'context.n': '"x"' },
        },
        { clause: 'context.m', outcome: 'false', values: { 'context.m': 'false' } },
      ],
    ],
    [
      'what macros read besides their items',
      'subject.properties.teams.exists(t, t == context.team && t != resource.name)',
      { team: 'c' },
      [
        {
          clause: 'subject.properties.teams.exists(t, t == context.team && t != resource.name)',
          outcome: 'false',
          values: { 'subject.properties.teams': '["a","b"]', 'context.team': '"c"', 'resource.name': '"d"' },
        },
      ],
    ],
    [
      'attributes of ancestors, and keys that are looked for',
      'resource.ancestor("app/folder").properties.owner == subject.id && "vip" in context && "a" in subject.properties.teams',
      {},
      [
        {
          clause: 'resource.ancestor("app/folder").properties.owner == subject.id',
          outcome: 'false',
          values: { 'resource.ancestor("app/folder").properties.owner': '"alice"', 'subject.id': '"u"' },
        },
        { clause: '"vip" in context', outcome: 'false' },
        {
          clause: '"a" in subject.properties.teams',
          outcome: 'true',
          values: { 'subject.properties.teams': '["a","b"]' },
        },
      ],
    ],
    [
      'the time that is compared, and nothing of what the text says',
      'since("2027-03-01T00:00:00Z") < duration("1h") && subject.in_group("g")',
      {},
      [
        {
          clause: 'since("2027-03-01T00:00:00Z") < duration("1h")',
          outcome: 'false',
          values: { time: '"2027-03-01T12:00:00.000Z"' },
        },
        { clause: 'subject.in_group("g")', outcome: 'false' },
      ],
    ],
  ])('are %s', (_, condition, context, expected) => {
    expect(clausesOf({ condition }, context as DecisionRequest['context'])).toEqual(expected);
  });

  it('are modifiers and unless, too', () => {
    const modifiers = { ip_ranges: ['10.0.0.0/8'], mfa_required: true };
    expect(clausesOf({ modifiers }, { ip: '192.0.2.1' })).toEqual([
      { clause: 'modifiers.mfa_required', outcome: 'absent', why: 'context.mfa' },
      { clause: 'modifiers.ip_ranges', outcome: 'false', values: { 'context.ip': '"192.0.2.1"' } },
    ]);
    expect(clausesOf({ effect: 'DENY', unless: { mfa_required: true } }, { mfa: false })).toEqual([
      { clause: 'unless.mfa_required', outcome: 'false', values: { 'context.mfa': 'false' } },
    ]);
  });

  it('are not there without a condition', () => {
    expect(explained([{}])[0]).not.toHaveProperty('clauses');
  });

  it('are bounded in number and length, and say how many there are', () => {
    const many = Array.from({ length: 30 }, (_, n) => `context.a${n} == ${n}`).join(' && ');
    const [one] = explained([{ condition: many }]);
    expect([one?.clauses?.length, one?.clauses_left_out]).toEqual([20, 10]);
    const all = explained(Array.from({ length: 15 }, () => ({ condition: many })));
    expect(all.reduce((sum, { clauses = [] }) => sum + clauses.length, 0)).toBe(200);
    expect(all.at(-1)).toMatchObject({ clauses: [], clauses_left_out: 30 });
    const long = `context.x == "${'y'.repeat(1000)}"`;
    const [clause] = clausesOf({ condition: long }, { x: '\u{1F600}'.repeat(1000) }) ?? [];
    expect(clause?.clause).toMatch(/^context\.x == "y+…$/);
    expect(clause?.clause.length).toBe(200);
    expect(clause?.values?.['context.x']).toMatch(/^"(?:\u{1F600})+…$/u);
    expect(clause?.values?.['context.x']?.length).toBeLessThanOrEqual(81);
  });

  it('leave out what the steps of a decision do not suffice for, and change no outcome', () => {
    const big = { list: Array.from({ length: 30_000 }, (_, n) => n) };
    const costly = 'context.list.exists(x, x == -1)';
    const [one] = explained([{ condition: `context.no && ${costly} && ${costly} && ${costly}` }], {
      ...big,
      no: false,
    });
    expect(one).toMatchObject({ outcome: 'does_not_apply', why: 'its condition is false' });
    expect((one?.clauses?.length ?? 0) + (one?.clauses_left_out ?? 0)).toBe(4);
    expect(one?.clauses_left_out).toBeGreaterThan(0);
  });
});

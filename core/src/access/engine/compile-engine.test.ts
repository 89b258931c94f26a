import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../problem.js';
import type { Kind } from '../../records/kinds.js';
import { addressOf, definitionOf } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import type { EngineRecord } from '../api/engine.js';
import { compileEngine } from './compile-engine.js';
import { EngineBuilder } from './engine-builder.js';

/** A record whose id is its address. */
function record(kind: Kind, raw: Record<string, unknown>): EngineRecord {
  const fields = definitionOf(kind).schema.parse(raw);
  return { kind, id: addressOf(kind, fields), fields } as unknown as EngineRecord;
}

const policy = (name: string, fields: Record<string, unknown>) =>
  record('policy', {
    application: 'app',
    name,
    effect: 'ALLOW',
    resource_type: 'app/doc',
    actions: ['read'],
    ...fields,
  });
const given = (name: string, entity_type: string, entity: string) =>
  record('policy_assignment', { policy: `app/${name}`, entity_type, entity });

const base = [
  record('application', { name: 'app' }),
  record('resource_type', { application: 'app', name: 'doc', actions: ['read'] }),
  record('resource', { type: 'app/doc', name: 'd' }),
  record('subject', { type: 'user', id: 'u' }),
  record('group', { name: 'inner' }),
  record('group', { name: 'outer' }),
  record('role', { application: 'app', name: 'reader' }),
  record('group_membership', { group: 'inner', entity_type: 'subject', entity: 'user/u' }),
  record('group_membership', { group: 'outer', entity_type: 'group', entity: 'inner' }),
  record('role_assignment', { role: 'app/reader', entity_type: 'group', entity: 'outer' }),
];

const asked = (context: DecisionRequest['context'] = {}): DecisionRequest => ({
  subject: { type: 'user', id: 'u' },
  resource: { type: 'doc', name: 'd' },
  action: { name: 'read' },
  context,
});

function problemOf(ask: () => unknown): ProblemError {
  try {
    ask();
  } catch (error) {
    if (error instanceof ProblemError) return error;
  }
  throw new Error('nothing was refused');
}

describe('an explanation', () => {
  const engine = compileEngine([
    ...base,
    policy('plain', { priority: 1 }),
    policy('false', { priority: 2, condition: 'context.n > 9' }),
    policy('absent', { priority: 3, condition: 'context.gone' }),
    policy('deny-absent', { effect: 'DENY', condition: 'context.gone' }),
    policy('fails', { priority: -1, condition: 'context.text > 1', modifiers: { mfa_required: true } }),
    policy('other-action', { actions: ['write'] }),
    policy('other-person', {}),
    given('plain', 'role', 'app/reader'),
    given('plain', 'group', 'inner'),
    given('false', 'subject', 'user/u'),
    given('absent', 'group', 'outer'),
    given('deny-absent', 'subject', 'user/u'),
    given('fails', 'subject', 'user/u'),
    given('other-action', 'subject', 'user/u'),
    given('other-person', 'subject', 'user/v'),
  ]);
  const explanation = engine.explain(asked({ n: 1, text: 'x', mfa: true }), 0);

  it('is the decision', () => {
    const { decision, reason, access_path, policy, policy_id, resource_id } = engine.decide(
      asked({ n: 1, text: 'x', mfa: true }),
      0,
    );
    expect(explanation).toMatchObject({ decision, reason, access_path, policy, policy_id, resource_id });
    expect(explanation).toMatchObject({ decision: true, policy: 'policy/app/plain', access_path: 'group' });
    expect(explanation.resource_id).toBe('resource/app/doc/d');
  });

  it('has every policy that came into question, in order of precedence, with the way to it and why', () => {
    const shown = explanation.candidates.map(({ policy, outcome, why, through }) => [policy, outcome, why, through]);
    const [user, inner, outer] = ['subject/user/u', 'group/inner', 'group/outer'];
    expect(shown).toEqual([
      ['policy/app/absent', 'does_not_apply', 'context.gone is absent', [user, inner, outer]],
      ['policy/app/false', 'does_not_apply', 'its condition is false', [user]],
      ['policy/app/plain', 'applies', 'it has no condition', [user, inner]],
      ['policy/app/deny-absent', 'applies', 'context.gone is absent, and a DENY applies then', [user]],
      ['policy/app/fails', 'failed', '">" does not take context.text (a string) and a number', [user]],
    ]);
    expect(explanation.candidates[2]).toEqual({
      policy: 'policy/app/plain',
      policy_id: 'policy/app/plain',
      effect: 'ALLOW',
      priority: 1,
      access_path: 'group',
      through: [user, inner],
      outcome: 'applies',
      why: 'it has no condition',
    });
  });

  it('names the role that the request names, and a role through its groups', () => {
    const only = compileEngine([...base, policy('plain', {}), given('plain', 'role', 'app/reader')]);
    const through = (request: DecisionRequest) => only.explain(request, 0).candidates.map((one) => one.through);
    expect(through(asked())).toEqual([['subject/user/u', 'group/inner', 'group/outer', 'role/app/reader']]);
    const named = { ...asked(), subject: { type: 'user', id: 'unknown', roles: ['reader'] } };
    expect(through(named)).toEqual([['subject/user/unknown', 'role/app/reader']]);
  });

  it('says of what has ended when it did', () => {
    const expiring = { expires_at: '2026-01-01T00:00:00Z' };
    const lent = compileEngine([
      ...base,
      record('role', { application: 'app', name: 'lent' }),
      record('role_assignment', { role: 'app/lent', entity_type: 'subject', entity: 'user/u', ...expiring }),
      policy('by-role', {}),
      given('by-role', 'role', 'app/lent'),
      record('group', { name: 'lenders' }),
      record('group_membership', { group: 'lenders', entity_type: 'subject', entity: 'user/u', ...expiring }),
      policy('by-group', {}),
      given('by-group', 'group', 'lenders'),
      policy('directly', {}),
      record('policy_assignment', {
        policy: 'app/directly',
        entity_type: 'subject',
        entity: 'user/u',
        ...expiring,
      }),
    ]);
    const met = (now: number) => lent.explain(asked(), now).candidates.map(({ policy, why }) => [policy, why]);
    const end = Date.parse(expiring.expires_at);
    const told = (why: string) => ['directly', 'by-role', 'by-group'].map((name) => [`policy/app/${name}`, why]);
    expect(met(end - 1)).toEqual(told('it has no condition'));
    expect(met(end)).toEqual(told('what led to it ended at 2026-01-01T00:00:00.000Z'));
    expect(lent.explain(asked(), end)).toMatchObject({ decision: false, access_path: 'none' });
    expect(lent.explain(asked(), end).candidates[2]).toMatchObject({
      outcome: 'does_not_apply',
      through: ['subject/user/u', 'group/lenders'],
    });
  });

  it('has the path that counts before one that has ended, and of those the one that lasted longest', () => {
    const until = (year: number) => ({ expires_at: `${year}-01-01T00:00:00Z` });
    const to = (entity_type: string, entity: string, more: object) =>
      record('policy_assignment', { policy: 'app/p', entity_type, entity, ...more });
    const many = compileEngine([
      ...base,
      policy('p', {}),
      to('subject', 'user/u', until(2026)),
      to('group', 'inner', until(2027)),
      to('group', 'outer', until(2028)),
    ]);
    const told = (year: number) => {
      const [one] = many.explain(asked(), Date.parse(until(year).expires_at)).candidates;
      return [one?.through.at(-1), one?.outcome];
    };
    expect([2025, 2026, 2027, 2028].map(told)).toEqual([
      ['subject/user/u', 'applies'],
      ['group/inner', 'applies'],
      ['group/outer', 'applies'],
      ['group/outer', 'does_not_apply'],
    ]);
  });

  it('has no candidates where nothing came into question', () => {
    expect(engine.explain({ ...asked(), action: { name: 'print' } }, 0).candidates).toEqual([]);
  });
});

describe('a failure that leaves the answer open', () => {
  const engine = compileEngine([
    ...base,
    policy('a', { effect: 'DENY', condition: 'context.n > 1' }),
    policy('b', { effect: 'DENY', priority: 5, condition: '1 / context.zero > 0' }),
    given('a', 'subject', 'user/u'),
    given('b', 'subject', 'user/u'),
  ]);
  const request = asked({ n: 'x', zero: 0 });

  it('names the first policy in precedence and carries the cause', () => {
    const problem = problemOf(() => engine.decide(request, 0));
    expect(problem.code).toBe('evaluation_failed');
    expect(problem.detail).toBe('Policy "policy/app/b" could not be evaluated for this request: division by zero.');
    expect(problem.errors).toEqual([{ pointer: '', detail: 'division by zero', address: 'policy/app/b' }]);
    expect(problem.cause).toEqual(new Error('division by zero'));
  });

  it('is the same explained, with every policy that failed', () => {
    const problem = problemOf(() => engine.explain(request, 0));
    expect(problem.detail).toBe(problemOf(() => engine.decide(request, 0)).detail);
    expect(problem.errors.map((item) => item.address)).toEqual(['policy/app/b', 'policy/app/a']);
  });

  it('leaves nothing behind for the next decision', () => {
    expect(() => engine.decide(request, 0)).toThrow(ProblemError);
    expect(engine.decide(asked({ n: 2, zero: 1 }), 0)).toMatchObject({ decision: false, policy: 'policy/app/b' });
    expect(engine.decide(asked({ n: 0, zero: -1 }), 0)).toMatchObject({ decision: false, access_path: 'none' });
  });

  it('comes from a condition in the records that does not compile', () => {
    const broken = compileEngine([...base, policy('p', { condition: 'context.' }), given('p', 'subject', 'user/u')]);
    expect(problemOf(() => broken.decide(asked(), 0)).detail).toContain('the condition is invalid: does not parse');
  });
});

describe('the steps of a decision', () => {
  const list = Array.from({ length: 3_000 }, (_, at) => at);
  const names = Array.from({ length: 12 }, (_, at) => `p${at}`);
  /** Each takes a tenth of the steps, and never holds. */
  const policies = names.flatMap((name, at) => [
    policy(name, { priority: at, condition: `context.list.all(a, a >= 0) && context.n == ${at}` }),
    given(name, 'subject', 'user/u'),
  ]);
  const exhausted = 'the conditions of its candidates together take more than 100000 steps';

  it('are those of all policies that come into question together', () => {
    const engine = compileEngine([...base, ...policies]);
    const problem = problemOf(() => engine.decide(asked({ list, n: -1 }), 0));
    expect(problem.code).toBe('evaluation_failed');
    expect(problem.detail).toBe(`Policy "policy/app/p11" could not be evaluated for this request: ${exhausted}.`);
    expect(engine.decide(asked({ list: list.slice(0, 300), n: -1 }), 0).decision).toBe(false);
  });

  it('are not taken by policies that can no longer matter', () => {
    const engine = compileEngine([...base, ...policies]);
    expect(engine.decide(asked({ list, n: 8 }), 0)).toMatchObject({ decision: true, policy: 'policy/app/p8' });
  });

  it.each([
    ['a DENY that holds', [policy('z', { effect: 'DENY', priority: -1 }), given('z', 'subject', 'user/u')]],
    ['an ALLOW that holds', [policy('z', { priority: -1 }), given('z', 'subject', 'user/u')]],
  ])('leave the answer open when they are used up, whatever the order of records: beside %s', (_, more) => {
    for (const records of [
      [...base, ...policies, ...more],
      [...more, ...policies, ...base].reverse(),
      [...policies, ...base, ...more],
    ]) {
      const engine = compileEngine(records);
      expect(problemOf(() => engine.decide(asked({ list, n: -1 }), 0)).detail).toContain('"policy/app/p11"');
    }
  });

  it('are at most twice as many for an explanation, which says what it could not evaluate', () => {
    const engine = compileEngine([...base, ...policies]);
    const request = asked({ list, n: 8 });
    const before = engine.steps;
    const { decision, policy: deciding, candidates } = engine.explain(request, 0);
    expect(engine.steps - before).toBeLessThanOrEqual(202_000);
    expect({ decision, deciding }).toEqual({ decision: true, deciding: 'policy/app/p8' });
    expect(candidates.find(({ policy: one }) => one === deciding)?.outcome).toBe('applies');
    expect(candidates.at(-1)).toMatchObject({ policy: 'policy/app/p0', outcome: 'failed', why: exhausted });
    expect(problemOf(() => engine.explain({ ...request, context: { list, n: -1 } }, 0)).code).toBe('evaluation_failed');
  });

  it('are used up by more conditional policies than can be put in order', () => {
    const engine = compileEngine([
      ...base,
      ...Array.from({ length: 13_000 }, (_, at) => [
        policy(`q${at}`, { condition: `context.n == ${at}` }),
        given(`q${at}`, 'subject', 'user/u'),
      ]).flat(),
    ]);
    expect(problemOf(() => engine.decide(asked({ n: 1 }), 0)).detail).toContain(exhausted);
  });

  it('are counted by the engine', () => {
    const engine = compileEngine([...base, ...policies]);
    engine.decide({ ...asked(), action: { name: 'print' } }, 0);
    const one = engine.steps;
    engine.decide(asked({ list, n: 8 }), 0);
    expect(one).toBeGreaterThan(0);
    expect(engine.steps).toBeGreaterThan(one + 3_000);
  });
});

describe('the builder', () => {
  const records = [...base, policy('plain', {}), given('plain', 'role', 'app/reader')];

  it.each([
    ['as they come', records],
    ['backwards', [...records].reverse()],
    [
      'links first',
      [...records.filter(({ kind }) => kind.includes('_')), ...records.filter(({ kind }) => !kind.includes('_'))],
    ],
  ])('takes records %s', (_, list) => {
    const builder = new EngineBuilder();
    for (const one of list) builder.add(one);
    expect(builder.finish().decide(asked(), 0)).toMatchObject({ decision: true, access_path: 'group' });
  });

  it('passes over credentials', () => {
    const keys = [{ kind: 'api_key', id: 'k', fields: { name: 'k' } } as unknown as EngineRecord];
    expect(compileEngine([...keys, ...records]).decide(asked(), 0).decision).toBe(true);
  });
});

describe('policies that say nearly the same', () => {
  it('keep their own conditions', () => {
    const names = Array.from({ length: 50 }, (_, at) => `p${at}`);
    const engine = compileEngine([
      ...base,
      ...names.flatMap((name, at) => [
        policy(name, { condition: `context.n == ${at}` }),
        given(name, 'subject', 'user/u'),
      ]),
    ]);
    for (const [at, name] of names.entries())
      expect(engine.decide(asked({ n: at }), 0).policy).toBe(`policy/app/${name}`);
  });

  it('keep their own unless', () => {
    const two = compileEngine([
      ...base,
      policy('a', { effect: 'DENY', modifiers: { ip_ranges: ['10.0.0.0/8'] } }),
      policy('b', { effect: 'DENY', unless: { ip_ranges: ['10.0.0.0/8'] } }),
      given('a', 'subject', 'user/u'),
      given('b', 'subject', 'user/u'),
    ]);
    const met = two.explain({ ...asked(), context: { ip: '10.0.0.1' } }, 0).candidates;
    expect(met.map(({ policy, why }) => [policy, why])).toEqual([
      ['policy/app/a', 'all that it requires holds'],
      ['policy/app/b', 'everything in its unless holds'],
    ]);
  });

  it('keep their own modifiers', () => {
    const engine = compileEngine([
      ...base,
      policy('a', { condition: 'context.n == 1' }),
      policy('b', { condition: 'context.n == 1', modifiers: { mfa_required: true } }),
      given('b', 'subject', 'user/u'),
    ]);
    expect(engine.decide(asked({ n: 1, mfa: false }), 0).decision).toBe(false);
    expect(engine.decide(asked({ n: 1, mfa: true }), 0).decision).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { addressOf, definitionOf } from '../../records/registry.js';
import type { EngineRecord, RecordChange } from '../api/engine.js';
import { compileEngine } from './compile-engine.js';

function record(kind: Kind, raw: Record<string, unknown>): EngineRecord {
  const fields = definitionOf(kind).schema.parse(raw);
  return { kind, id: addressOf(kind, fields), fields } as unknown as EngineRecord;
}

const policy = (name: string, fields: Record<string, unknown> = {}) =>
  record('policy', { name, effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'], ...fields });
const given = (name: string, entity_type = 'subject', entity = 'user/u') =>
  record('policy_assignment', { policy: name, entity_type, entity });
const inGroup = (entity: string) => record('group_membership', { group: 'g', entity_type: 'subject', entity });

const user = record('subject', { type: 'user', id: 'u' });
const doc = record('resource', { type: 'app/doc', name: 'd' });
const base = [
  record('application', { name: 'app' }),
  record('resource_type', { application: 'app', name: 'doc', actions: ['read'] }),
  doc,
  user,
  record('group', { name: 'g' }),
  policy('p'),
];
const asked = { subject: { type: 'user', id: 'u' }, resource: { type: 'doc', name: 'd' }, action: { name: 'read' } };

describe('an engine refuses a change that does not fit what it has compiled', () => {
  const compiled = [...base, given('p'), inGroup('user/u')];
  it.each<[string, RecordChange]>([
    ['a link that is there already', { after: inGroup('user/u') }],
    ['an assignment that is there already', { after: given('p') }],
    ['an assignment that is not there', { before: given('p', 'group', 'g') }],
    ['a subject that is there already', { after: user }],
    ['a subject that is not there', { before: record('subject', { type: 'user', id: 'v' }) }],
    ['a subject that still has links', { before: user }],
    ['a policy that is still assigned', { before: policy('p') }],
    ['a policy that is not there', { before: policy('q'), after: policy('q', { priority: 1 }) }],
    ['an assignment of what is not there', { after: given('q') }],
    ['an assignment to who is not there', { after: given('p', 'subject', 'user/v') }],
    ['a resource of another id', { before: { ...doc, id: 'other' }, after: doc }],
    ['a type that still has resources', { before: base[1] }],
    ['a record that becomes one of another kind', { before: user, after: doc }],
    ['nothing', {}],
  ])('%s', (_, change) => {
    expect(() => compileEngine(compiled).apply([change])).toThrow();
  });
});

describe('a condition that asks for groups and roles', () => {
  const role = record('role', { name: 'r' });
  const asks = policy('q', { condition: 'subject.in_group("g") && subject.has_role("r")' });
  const engine = compileEngine([...base, role, asks, given('q', 'everyone', '*')]);
  const holds = (resource?: string) =>
    record('role_assignment', { role: 'r', entity_type: 'group', entity: 'g', resource });
  const allowed = () => engine.decide(asked, 0).decision;

  it('sees at once what changes', () => {
    const seen = [allowed()];
    for (const change of [
      { after: inGroup('user/u') },
      { after: holds('app/doc/d') },
      { before: inGroup('user/u') },
      { after: inGroup('user/u') },
      { before: holds('app/doc/d') },
      { after: holds() },
      { before: holds() },
    ]) {
      engine.apply([change]);
      seen.push(allowed());
    }
    expect(seen).toEqual([false, false, true, false, true, false, true, false]);
  });

  it('takes steps for what it goes through, and is refused where that is too much', () => {
    const groups = Array.from({ length: 25_000 }, (_, at) => record('group', { name: `many${at}` }));
    const memberships = groups.map(({ id }) =>
      record('group_membership', { group: id.slice('group/'.length), entity_type: 'subject', entity: 'user/u' }),
    );
    const crowded = (count: number) =>
      compileEngine([...base, ...groups, ...memberships.slice(0, count), role, asks, given('q', 'everyone', '*')]);
    expect(crowded(20_000).decide(asked, 0).decision).toBe(false);
    expect(() => crowded(25_000).decide(asked, 0)).toThrow(/take more than 100000 steps/);
  });
});

describe('a principal with many rules', () => {
  const names = Array.from({ length: 300 }, (_, at) => `many${at}`);

  it('loses the one that decides, and the next decides', () => {
    const policies = names.map((name, priority) => policy(name, { priority }));
    const engine = compileEngine([...base, ...policies, ...names.map((name) => given(name))]);
    for (const name of [...names].reverse()) {
      expect(engine.decide(asked, 0).policy).toBe(`policy/${name}`);
      engine.apply([{ before: given(name) }]);
    }
    expect(engine.decide(asked, 0).decision).toBe(false);
    engine.apply([{ after: given('p') }]);
    expect(engine.decide(asked, 0).policy).toBe('policy/p');
  });
});

describe('what changes take', () => {
  const people = Array.from({ length: 50 }, (_, at) => record('subject', { type: 'user', id: `u${at}` }));
  const engine = compileEngine([...base, ...people, ...people.map((_, at) => given('p', 'subject', `user/u${at}`))]);

  it('is a step each, and for a policy one more for every ten that hold it', () => {
    expect(engine.weigh([{ before: user, after: user }, { before: given('p', 'subject', 'user/u1') }])).toBe(2);
    expect(engine.weigh([{ before: policy('p'), after: policy('p', { priority: 1 }) }])).toBe(6);
  });
});

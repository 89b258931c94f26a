import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { addressOf, definitionOf } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import type { EngineRecord } from '../api/engine.js';
import { compileEngine } from '../engine/compile-engine.js';

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

describe('an explanation of links that begin and end', () => {
  it('says of what has not begun when it will, before what has ended', () => {
    const link = (kind: Kind, to: string, entity: string, more: object) =>
      record(kind, { [kind === 'group_membership' ? 'group' : 'role']: to, entity_type: 'subject', entity, ...more });
    const later = compileEngine([
      ...base,
      ...['soon', 'later', 'past'].map((name) => record('group', { name })),
      link('group_membership', 'soon', 'user/u', {
        starts_at: '2027-01-01T00:00:00Z',
        expires_at: '2027-02-01T00:00:00Z',
      }),
      link('group_membership', 'later', 'user/u', { starts_at: '2028-01-01T00:00:00Z' }),
      link('group_membership', 'past', 'user/u', { expires_at: '2026-01-01T00:00:00Z' }),
      policy('p', {}),
      ...['soon', 'later', 'past'].map((group) => given('p', 'group', group)),
    ]);
    const told = (now: string) => {
      const [one] = later.explain(asked(), Date.parse(now)).candidates;
      return [one?.through.at(-1), one?.why];
    };
    expect(told('2025-01-01T00:00:00Z')).toEqual(['group/past', 'it has no condition']);
    expect(told('2026-06-01T00:00:00Z')).toEqual(['group/soon', 'what leads to it begins at 2027-01-01T00:00:00.000Z']);
    expect(told('2027-06-01T00:00:00Z')).toEqual([
      'group/later',
      'what leads to it begins at 2028-01-01T00:00:00.000Z',
    ]);
    expect(told('2028-06-01T00:00:00Z')).toEqual(['group/later', 'it has no condition']);
  });

  it('tells of two ways to one group the one that begins first, whatever the order of records', () => {
    const records = [
      ...base,
      ...['a', 'b', 'top'].map((name) => record('group', { name })),
      ...['a', 'b'].map((entity) => record('group_membership', { group: 'top', entity_type: 'group', entity })),
      record('group_membership', {
        group: 'a',
        entity_type: 'subject',
        entity: 'user/u',
        expires_at: '2027-02-01T00:00:00Z',
      }),
      record('group_membership', {
        group: 'b',
        entity_type: 'subject',
        entity: 'user/u',
        starts_at: '2027-01-01T00:00:00Z',
        expires_at: '2027-03-01T00:00:00Z',
      }),
      policy('p', {}),
      record('policy_assignment', {
        policy: 'app/p',
        entity_type: 'group',
        entity: 'top',
        starts_at: '2028-01-01T00:00:00Z',
      }),
    ];
    const now = Date.parse('2029-01-01T00:00:00Z');
    const through = (all: EngineRecord[]) => compileEngine(all).explain(asked(), now).candidates[0]?.through;
    expect(through(records)).toEqual(['subject/user/u', 'group/a', 'group/top']);
    expect(through(records.toReversed())).toEqual(through(records));
  });

  it('says of links that never count at one time that they do not', () => {
    const apart = compileEngine([
      ...base,
      policy('p', {}),
      record('role', { name: 'lent' }),
      record('role_assignment', {
        role: 'lent',
        entity_type: 'subject',
        entity: 'user/u',
        starts_at: '2027-01-01T00:00:00Z',
      }),
      record('policy_assignment', {
        policy: 'app/p',
        entity_type: 'role',
        entity: 'lent',
        expires_at: '2027-01-01T00:00:00Z',
      }),
    ]);
    const [one] = apart.explain(asked(), Date.parse('2027-01-01T00:00:00Z')).candidates;
    expect(one?.why).toBe('the links that lead to it never count at the same time');
  });
});

describe('a stored DENY of second factors, which is refused now', () => {
  it('keeps its meaning', () => {
    const deny = policy('p', { effect: 'DENY' });
    const stored = { ...deny, fields: { ...deny.fields, modifiers: { mfa_required: true } } } as EngineRecord;
    const old = compileEngine([
      ...base,
      stored,
      policy('all', {}),
      given('p', 'subject', 'user/u'),
      given('all', 'subject', 'user/u'),
    ]);
    const decided = (context: DecisionRequest['context']) =>
      old.decide({ ...asked(), ...(context && { context }) }, 0).decision;
    expect([decided({ mfa: true }), decided({ mfa: false }), decided(undefined)]).toEqual([false, true, false]);
  });
});

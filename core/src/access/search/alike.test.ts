import { describe, expect, it } from 'vitest';
import { finished } from '../../concurrency/time-slicing.js';
import type { Kind } from '../../records/kinds.js';
import { definitionOf } from '../../records/registry.js';
import type { EngineRecord } from '../api/engine.js';
import { compileEngine } from '../engine/compile-engine.js';
import { TenantSearch } from './tenant-search.js';

const NUMBERS = Array.from({ length: 600 }, (_, at) => at);
const NAMES = NUMBERS.map((at) => `d${at}`);
const policy = (name: string, more: object) => ['policy', { name, actions: ['read'], ...more }] as [Kind, object];
const given = (name: string, entity_type: string, entity: string): [Kind, object] => [
  'policy_assignment',
  { policy: name, entity_type, entity },
];
const onDocuments = { effect: 'ALLOW', resource_type: 'a/doc' };
const toAll = (condition: string) => [policy('all', { ...onDocuments, condition }), given('all', 'group', 'staff')];
const covering = (effect: string, resource: string, below?: true) =>
  policy('one', {
    ...{ effect, actions: undefined, priority: 1 },
    resources: [{ resource, actions: ['read'], ...(below && { below }) }],
  });
const held = (role: string) => [
  'role_assignment',
  { role, entity_type: 'group', entity: 'staff', resource: 'a/box/b' },
];

/** Every seventh document lies in a box, and every third is marked. */
const TENANT: [Kind, object][] = [
  ['application', { name: 'a' }],
  ['resource_type', { application: 'a', name: 'box', actions: ['read'] }],
  [
    'resource_type',
    { application: 'a', name: 'doc', actions: ['read'], parents: [{ type: 'a/box', property: 'box' }] },
  ],
  ['resource', { type: 'a/box', name: 'b', properties: { open: true } }],
  ...NUMBERS.map((at): [Kind, object] => [
    'resource',
    {
      ...{ type: 'a/doc', name: `d${at}`, properties: at % 3 === 0 ? { marked: true } : {} },
      ...(at % 7 === 0 && { parents: ['a/box/b'] }),
    },
  ]),
  ['subject', { type: 'user', id: 'u', properties: { level: 2 } }],
  ['group', { name: 'staff' }],
  ['group_membership', { group: 'staff', entity_type: 'subject', entity: 'user/u' }],
  ['role', { name: 'guest' }],
];

/** Conditions about the subject's roles take more steps where others hold roles: some then run out of them. */
const OTHERS = Array.from({ length: 8 }, (_, at) => `other-${at}`);
const othersHold: [Kind, object][] = OTHERS.flatMap((id): [Kind, object][] => [
  ['subject', { type: 'user', id }],
  ['role_assignment', { role: 'guest', entity_type: 'subject', entity: `user/${id}`, resource: 'a/box/b' }],
]);

const compiled = (more: [Kind, object][]) =>
  compileEngine(
    [...TENANT, ...more].map(
      ([kind, fields], at) =>
        ({ kind, id: `id-${at}`, fields: definitionOf(kind).schema.parse(fields) }) as EngineRecord,
    ),
  );

/** Cases: what tells documents apart, how many of them may be read, and how many questions to the engine show that. */
const CASES: [what: string, more: [Kind, object][], allowed: number, asked: number][] = [
  ['nothing', toAll('context.go && subject.properties.level == 2 && resource.type == "doc"'), 600, 1],
  ['nothing where a condition lacks an attribute', toAll('context.missing'), 0, 1],
  ['nothing where a condition fails', toAll('context.go > 1'), 0, 1],
  ['a group', toAll('subject.in_group("staff")'), 600, 1],
  ['a recorded property', toAll('resource.properties.marked'), 200, 600],
  ['all properties', toAll('resource.properties.exists(p, p == "marked")'), 200, 600],
  ['a name', toAll('resource.name == "d1" || resource.name == "d599"'), 2, 600],
  ['an id', toAll('resource.id == "id-9"'), 1, 600],
  ['the whole resource', toAll('[resource].exists(r, r.name == "d5")'), 1, 600],
  ['an ancestor that a condition asks for', toAll('resource.ancestors("a/box").size() == 1'), 86, 600],
  ['a DENY on one', [...toAll('context.go'), covering('DENY', 'a/doc/d3'), given('one', 'subject', 'user/u')], 599, 2],
  ['an ALLOW on one', [...toAll('!context.go'), covering('ALLOW', 'a/doc/d3'), given('one', 'group', 'staff')], 1, 2],
  [
    'a DENY for all below',
    [...toAll('context.go'), covering('DENY', 'a/box/b', true), given('one', 'everyone', '*')],
    514,
    87,
  ],
  [
    'a role that is held above',
    [
      ...toAll('!context.go'),
      policy('held', onDocuments),
      given('held', 'role', 'guest'),
      held('guest') as [Kind, object],
    ],
    86,
    87,
  ],
  [
    'a role that a condition asks for',
    [...toAll('subject.has_role("guest")'), held('guest') as [Kind, object]],
    86,
    600,
  ],
];

describe('a search for resources that are alike', () => {
  it.each(CASES)('finds what single decisions allow where these tell them apart: %s', (what, more, allowed, most) => {
    const engine = compiled(more);
    const now = 0;
    const asked = { subject: { type: 'user', id: 'u' }, action: { name: 'read' }, context: { go: true } };
    const wanted = NAMES.filter((name) => {
      try {
        return engine.decide({ ...asked, resource: { type: 'doc', name } }, now).decision;
      } catch {
        return false;
      }
    });
    expect(wanted).toHaveLength(allowed);
    let questions = 0;
    const { decideResolved } = engine;
    engine.decideResolved = function (...args) {
      questions++;
      return decideResolved.apply(this, args);
    };
    const bounds = { after: '', limit: 1000, now, late: () => false };
    const question = { kind: 'resource' as const, ...asked, resource: { type: 'doc' } };
    const { results, undecided } = finished(new TenantSearch(engine).find(question, bounds));
    expect(results).toEqual(wanted.sort().map((id) => ({ type: 'doc', id })));
    expect(questions).toBeLessThanOrEqual(most);
    if (what.includes('attribute')) expect(undecided).toEqual({ count: 600, absent: ['context.missing'] });
  });

  it('asks of each where a question about roles takes more steps for some than a decision may take', () => {
    const engine = compiled([...othersHold, ...toAll('context.items.all(i, i >= 0) && !subject.has_role("guest")')]);
    const about = (items: number) => ({
      ...{ subject: { type: 'user', id: 'u' }, action: { name: 'read' }, context: { items: Array(items).fill(1) } },
    });
    const mayRead = (name: string, items: number) => {
      try {
        return engine.decide({ ...about(items), resource: { type: 'doc', name } }, 0).decision;
      } catch {
        return false;
      }
    };
    // d0 lies in the box, where others hold the role; d1 lies in nothing.
    let items = 1;
    while (mayRead('d0', items * 2)) items *= 2;
    for (let more = items; more >= 1; more /= 2) if (mayRead('d0', items + more)) items += more;
    const wanted = NAMES.filter((name) => mayRead(name, items + 1));
    expect(wanted).toHaveLength(514);
    const bounds = { after: '', limit: 1000, now: 0, late: () => false };
    const question = { kind: 'resource' as const, ...about(items + 1), resource: { type: 'doc' } };
    const { results } = finished(new TenantSearch(engine).find(question, bounds));
    expect(results).toEqual(wanted.sort().map((id) => ({ type: 'doc', id })));
  });
});

import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { accessRule } from '@authz-service/core/records/access-rule';
import type { Kind } from '@authz-service/core/records/kinds';
import fc from 'fast-check';
import { ABOUT_PARENTS } from './conditions.js';
import { storedRecords } from './generate.js';
import type { Rule } from './judge.js';

/** Resources that may hold pages, and be a page themselves: those of `a/x` may lie in an earlier one, and in `a/y/1`. */
const PLACES = ['a/x/0', 'a/x/1', 'a/y/1'];
const CONDITIONS = [undefined, ...ABOUT_PARENTS.filter((condition) => !condition.includes('context'))];

const resource = fc.record({ there: fc.boolean(), parents: fc.subarray(PLACES), n: fc.constantFrom(undefined, 1) });
const policy = fc.record({
  effect: fc.constantFrom('ALLOW', 'ALLOW', 'DENY'),
  priority: fc.constantFrom(0, 1),
  condition: fc.constantFrom(...CONDITIONS),
  below: fc.constantFrom(undefined, undefined, ...PLACES),
  given: fc.constantFrom('everyone/*', 'everyone/*', 'role/r', 'subject/user/s', undefined),
});
const state = fc.record({
  resources: fc.tuple(resource, resource, resource, resource),
  policies: fc.tuple(policy, policy),
  held: fc.constantFrom(undefined, ...PLACES),
});
type State = typeof state extends fc.Arbitrary<infer S> ? S : never;

/** Two states of a few records whose policies ask for what requests say of parents; a part of one is changed in the other. */
export const statesAskingParents = fc
  .tuple(state, state, fc.constantFrom('resources', 'resources', 'policies', 'held', 'all'), fc.nat(3))
  .map(([before, other, part, at]): readonly [readonly EngineRecord[], readonly EngineRecord[]] => {
    const after = part === 'all' ? other : { ...before, [part]: other[part] };
    // Mostly one resource comes or goes.
    if (part === 'resources')
      after.resources = before.resources.map((one, index) =>
        index === at ? (other.resources[at] ?? one) : one,
      ) as State['resources'];
    const made = new Map<string, EngineRecord>();
    const recordsOf = (one: State) =>
      storedRecords(listOf(one)).map((record) => {
        // Equal records are the same objects.
        const key = JSON.stringify([record.kind, record.fields]);
        const known = made.get(key) ?? record;
        made.set(key, known);
        return known;
      });
    return [recordsOf(before), recordsOf(after)];
  });

function listOf({ resources, policies, held }: State): [Kind, object][] {
  const paths = ['a/y/1', 'a/x/0', 'a/x/1', 'a/x/2'];
  const there = paths.filter((_, at) => resources[at]?.there);
  const given = policies.flatMap(({ given: to }, at): [Kind, object][] => {
    if (to === undefined) return [];
    const [type = '', ...entity] = to.split('/');
    return [['policy_assignment', { policy: `p${at}`, entity_type: type, entity: entity.join('/') }]];
  });
  return [
    ['application', { name: 'a' }],
    ['resource_type', { application: 'a', name: 'y', actions: ['read'] }],
    [
      'resource_type',
      {
        ...{ application: 'a', name: 'x', actions: ['read', 'write'] },
        parents: [
          { type: 'a/x', property: 'by' },
          { type: 'a/y', property: 'in' },
          { type: 'a/x', property: 'up' },
        ],
      },
    ],
    ...paths.flatMap((path, at): [Kind, object][] => {
      const one = resources[at];
      if (one === undefined || !one.there) return [];
      const parents = one.parents.filter((parent) => at > 0 && parent < path && there.includes(parent));
      const [type, name] = [path.slice(0, 3), path.slice(4)];
      const properties = one.n === undefined ? undefined : { n: one.n };
      return [['resource', { type, name, properties, ...(type === 'a/x' && parents.length > 0 && { parents }) }]];
    }),
    ['subject', { type: 'user', id: 's' }],
    ['role', { name: 'r', from_requests: false }],
    ...policies.flatMap(({ effect, priority, condition, below }, at): [Kind, object][] => {
      const isThere = below !== undefined && there.includes(below);
      const covered = isThere
        ? { resources: [{ resource: below, actions: ['read'], below: true }] }
        : { resource_type: 'a/x', actions: ['read'] };
      return [['policy', { name: `p${at}`, effect, priority, condition, ...covered }]];
    }),
    ...given,
    ...(held !== undefined && there.includes(held)
      ? [['role_assignment', { role: 'r', entity_type: 'subject', entity: 'user/s', resource: held }] as [Kind, object]]
      : []),
  ];
}

/** Rules about pages, wherever they lie or in one place. */
export const rulesAboutPages: fc.Arbitrary<Rule> = fc
  .record({
    form: fc.constantFrom('never', 'never', 'never', 'only', 'always'),
    resources: fc.constantFrom(
      ...[{ types: ['a/x'] }, { types: ['a/x'] }, { named: ['a/x/1'], below: true }, { named: ['a/y/1'], below: true }],
      { types: ['a/x'], where: 'resource.properties.up == "1"' },
    ),
    subjects: fc.constantFrom(undefined, { named: ['user/s'] }, { type: 'user' }),
  })
  .map(({ form, resources, subjects }) => {
    const whom = subjects ?? (form === 'only' ? { named: ['user/s'] } : undefined);
    const rule = { name: 'rule', [form]: { subjects: whom, actions: ['read'], resources }, mode: 'enforce' };
    return accessRule.schema.parse(JSON.parse(JSON.stringify(rule)));
  });

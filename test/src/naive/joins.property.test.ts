import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isAllowed } from './enumerate-pairs.js';
import { evaluate } from './evaluate.js';
import { impactOf } from './random-states.js';

const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const HOURS = 3_600_000;

/** Values of the two sides of a comparison, of each kind: equal, between others, and of another type. */
const VALUES: readonly Json[] = ['a', 'b', 'c', 'aa', 'r0', 'r1', 'u1', 'u2', '2', 0, 1, 2, 3, 1.5, -1, true, null];
const value = fc.constantFrom(...VALUES);
const literals = fc.constantFrom('"b"', '"u1"', '"r1"', '1', '2', '-1');
const others = fc.constantFrom(
  ...['resource.properties.v', 'resource.properties.v', 'resource.properties.w', 'resource.name', 'context.v'],
  ...[
    '"u" + resource.properties.d',
    '"u" + resource.properties.d',
    '"u" + context.v',
    'resource.properties.m.id',
    'resource.properties.l[0]',
    'context.m.id',
  ],
);
const orders = fc.constantFrom('<', '<=', '>', '>=', '==', '==', '!=');
const lists = fc.constantFrom('resource.properties.l', 'context.l', '["a", 1, resource.name]', 'resource.properties.m');
/** Comparisons of a subject with what its resource or the request has, and of these with others. */
const partAbout = (subjects: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(subjects, orders, others).map((parts) => parts.join(' ')) },
    { weight: 2, arbitrary: fc.tuple(others, orders, subjects).map((parts) => parts.join(' ')) },
    { weight: 2, arbitrary: fc.tuple(subjects, orders, literals).map((parts) => parts.join(' ')) },
    { weight: 2, arbitrary: fc.tuple(others, orders, literals).map((parts) => parts.join(' ')) },
    { weight: 1, arbitrary: fc.tuple(others, orders, others).map((parts) => parts.join(' ')) },
    { weight: 2, arbitrary: fc.tuple(subjects, lists).map(([one, list]) => `${one} in ${list}`) },
    {
      weight: 2,
      arbitrary: fc.tuple(lists, orders, subjects).map(([list, op, one]) => `${list}.exists(i, i ${op} ${one})`),
    },
    { weight: 1, arbitrary: fc.constantFrom('context.v.startsWith("a")', 'has(subject.properties.v)', 'context.b') },
  );
const conditionOf = (part: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 2, arbitrary: part },
    {
      weight: 2,
      arbitrary: fc.tuple(part, fc.constantFrom('&&', '||'), part).map(([one, op, two]) => `${one} ${op} ${two}`),
    },
    { weight: 1, arbitrary: part.map((one) => `!(${one})`) },
  );
const properties = fc.record(
  {
    v: value,
    w: value,
    d: fc.constantFrom('0', '1', '2', '3'),
    l: fc.array(value, { minLength: 1, maxLength: 3 }),
    m: fc.record({ id: value, u1: value }, { requiredKeys: [], noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
/** Mostly about one attribute of subjects, by which they are told apart. */
const attributes = fc.constantFrom(
  ...[['subject.id'], ['subject.id'], ['subject.properties.v'], ['subject.properties.v']],
  ['subject.id', 'subject.properties.v'],
  ['subject.properties.v', 'subject.properties.w'],
);
const policies = attributes.chain((names) =>
  fc.array(
    fc.record({
      effect: fc.constantFrom('ALLOW', 'ALLOW', 'DENY'),
      condition: conditionOf(partAbout(fc.constantFrom(...names))),
    }),
    { minLength: 1, maxLength: 3, size: 'max' },
  ),
);
const context = fc.record(
  {
    v: value,
    b: fc.boolean(),
    l: fc.array(value, { minLength: 1, maxLength: 3 }),
    m: fc.record({ id: value }, { noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

type Fields = Record<string, unknown>;

function tenantOf(people: JsonObject[], things: JsonObject[], policies: Fields[]): EngineRecord[] {
  const records: [string, Fields][] = [
    ['application', { name: 'a' }],
    ['resource_type', { application: 'a', name: 't', actions: ['read'] }],
    ['group', { name: 'staff' }],
    ...people.flatMap((own, at): [string, Fields][] => [
      ['subject', { type: 'user', id: `u${at}`, properties: own }],
      ['group_membership', { group: 'staff', entity_type: 'subject', entity: `user/u${at}` }],
    ]),
    ...things.map((own, at): [string, Fields] => ['resource', { type: 'a/t', name: `r${at}`, properties: own }]),
    ...policies.map((fields, at): [string, Fields] => [
      'policy',
      { name: `p${at}`, resource_type: 'a/t', actions: ['read'], priority: at % 2, ...fields },
    ]),
  ];
  return records.map(([kind, fields], at) => ({ kind, id: `id-${at}`, fields }) as unknown as EngineRecord);
}

const assigned = (at: number) =>
  ({
    kind: 'policy_assignment',
    id: `assignment-${at}`,
    fields: { policy: `p${at}`, entity_type: 'group', entity: 'staff' },
  }) as unknown as EngineRecord;

it('the access delta tells subjects apart by what conditions compare them with', {
  timeout: FACTOR > 1 ? 6 * HOURS : undefined,
}, () => {
  const asks = fc.array(fc.tuple(context, fc.constantFrom('r0', 'r1', 'a', 'u1', 'zz'), properties), {
    minLength: 12,
    maxLength: 12,
  });
  const tenants = fc.tuple(
    fc.array(properties, { minLength: 4, maxLength: 9, size: 'max' }),
    fc.array(properties, { minLength: 2, maxLength: 4, size: 'max' }),
    policies,
  );
  let changed = 0;
  fc.assert(
    fc.property(tenants, fc.nat(2), asks, ([people, things, made], given, asked) => {
      const tenant = tenantOf(people, things, made);
      const before = [...tenant, ...made.map((_, at) => assigned(at)).slice(0, given)];
      const after = [...tenant, ...made.map((_, at) => assigned(at))];
      const impact = impactOf(before, after, { now: 0 });
      const told = new Map(
        [...impact.pairs()].map(({ subject, resource, change }) => [`${subject} ${resource}`, change]),
      );
      // Without a context there is one request for each triple, so all of them can be asked.
      const triples = people.flatMap((_, at) => things.map((__, on) => [`u${at}`, `r${on}`] as const));
      for (const [id, name] of made.some((one) => one.condition.includes('context')) ? [] : triples) {
        const request = { subject: { type: 'user', id }, resource: { type: 'a/t', name }, action: { name: 'read' } };
        const [was, is] = [before, after].map((records) => isAllowed(evaluate(records, request, 0)));
        const change = was === is ? undefined : is ? 'gained' : 'lost';
        expect(told.get(`user/${id} a/t/${name}`), JSON.stringify({ request, made })).toBe(change);
      }
      for (const [send, name, sent] of asked)
        for (const [at] of people.entries()) {
          const recorded = name.startsWith('r') ? things[Number(name.slice(1))] : undefined;
          const own = Object.fromEntries(
            Object.entries(sent).filter(([key]) => recorded === undefined || !Object.hasOwn(recorded, key)),
          );
          const request: DecisionRequest = {
            subject: { type: 'user', id: `u${at}` },
            resource: { type: 'a/t', name, properties: name === 'r0' ? {} : own },
            action: { name: 'read' },
            context: send,
          };
          const [was, is] = [before, after].map((records) => isAllowed(evaluate(records, request, 0)));
          if (was === is) continue;
          changed++;
          const path = `user/u${at}`;
          const kinds = is ? ['gained', 'widened', 'changed', 'unknown'] : ['lost', 'narrowed', 'changed', 'unknown'];
          const found = impact.delta.findings.filter(
            (finding) =>
              kinds.includes(finding.change) &&
              impact.subjectsOf(finding).includes(path) &&
              (recorded === undefined
                ? finding.resources.some(({ which }) => which === 'all' || which === 'unrecorded')
                : impact.resourcesOf(finding).includes(`a/t/${name}`)),
          );
          const shown = JSON.stringify({ request, was, is, made });
          expect(found.length, shown).toBeGreaterThan(0);
          if (name !== 'r0') continue;
          const change = told.get(`${path} a/t/${name}`);
          expect(is ? ['gained', 'mixed', 'unknown'] : ['lost', 'mixed', 'unknown'], shown).toContain(change);
        }
    }),
    { numRuns: 120 * FACTOR },
  );
  expect(changed).toBeGreaterThan(400 * FACTOR);
});

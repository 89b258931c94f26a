import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { accessRule } from '@authz-service/core/records/access-rule';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { type ContextMember, membersOf } from './contexts.js';
import { fieldsOf } from './enumerate-pairs.js';
import type { Rule } from './judge.js';

const maybe = <T>(items: readonly T[], freq = 1) => fc.option(fc.constantFrom(...items), { nil: undefined, freq });

const subjects = fc.record({
  type: maybe(['user', 'user', 'service', 'robot']),
  named: maybe([['user/s'], ['user/t', 'service/s']]),
  groups: maybe([['g'], ['f', 'h']]),
  roles: maybe([['r'], ['a/q', 'b/q']]),
  where: maybe([
    ...['subject.properties.n == 1', 'subject.properties.n > 1', 'subject.in_group("g")'],
    ...['!subject.has_role("a/r")', 'subject.id == "s"', 'subject.id != "t"'],
    ...['subject.type == "robot"', 'subject.type != "user"', 'subject.type.startsWith("ro")', 'action.name != "read"'],
  ]),
});
const resources = fc
  .record({
    types: maybe([['*'], ['a/x'], ['a/x', 'b/y'], ['a/y']], 2),
    named: maybe([['a/x/1'], ['a/x/2', 'a/y/1'], ['a/x/1', 'a/x/2']], 2),
    below: maybe([true as const], 2),
    where: maybe([
      ...['resource.properties.n > 1', 'resource.name == "1"', 'resource.ancestors("a/x").size() == 0'],
      ...['resource.properties.up == "1"', 'resource.properties.up != null'],
    ]),
  })
  .map(({ types, named, below, where }) => ({
    types: types ?? (named === undefined ? ['a/x'] : undefined),
    named,
    below: named && below,
    where,
  }));
const WHENS = [
  ...['context.a == 1', 'context.b', 'context.s == "x"', 'context.mfa != true', 'action.name == "read"'],
  ...['action.name.startsWith("o")', 'action.name == subject.type', 'subject.type != "robot"'],
  'subject.properties.n == resource.properties.n',
];

/** Rules of all forms, of which `when` reads only these members of the context. */
export const rulesReading = (reads: readonly ContextMember[]): fc.Arbitrary<Rule> =>
  fc
    .record({
      form: fc.constantFrom('never', 'never', 'only', 'always', 'separate'),
      subjects: fc.option(subjects, { nil: undefined, freq: 2 }),
      resources,
      actions: fc.constantFrom(['read'], ['read'], ['write'], ['read', 'write'], ['*']),
      mode: fc.constantFrom('enforce', 'warn'),
      even: maybe([true as const]),
      suspended: fc.option(fc.constantFrom(0, 1000, 2500), { nil: undefined, freq: 5 }),
      when: maybe(WHENS.filter((condition) => membersOf([{ condition }]).every((member) => reads.includes(member)))),
    })
    .map(({ form, subjects: whom, resources: what, actions, when, mode, suspended, even }) => {
      const claim = {
        subjects: whom ?? (form === 'only' ? { groups: ['g'] } : undefined),
        actions: form === 'separate' ? ['read', 'write'] : actions,
        resources: what,
        ...(form === 'always' && { even_suspended: even }),
      };
      // Groups, roles and resources may be gone: rules are judged where they are read, not where they are declared.
      const until = suspended !== undefined && {
        suspended_until: new Date(suspended).toISOString(),
        suspension_reason: 'A drill.',
      };
      const rule = { name: 'rule', [form]: claim, when, mode, ...until };
      return accessRule.schema.parse(JSON.parse(JSON.stringify(rule)));
    });

/** Whom and about what requests ask, wherever it may lie. */
export interface Place {
  subject: string;
  resource: string;
  /** The properties by which a request says where a resource without a record lies. */
  where: JsonObject;
}

/** Nobody records `nobody`, the type `robot` and the resource `3`. */
const SUBJECTS = ['user/s', 'user/t', 'service/s', 'user/nobody', 'service/nobody', 'robot/nobody'];
const NOWHERE = { up: null, by: null, in: null };
const IN_X = ['0', '1', '2'].map((up) => ({ ...NOWHERE, up }));
const IN_Y = { ...NOWHERE, in: '1' };
const IN_SEVERAL = [
  { ...NOWHERE, by: '1' },
  { ...NOWHERE, by: '2', in: '1' },
  { up: '1', by: '2', in: null },
  { up: '0', by: '1', in: '1' },
  { up: '2', by: '2', in: '1' },
  { up: '2', in: '1' },
  { up: null, by: '1' },
  { up: '1' },
  { in: '1' },
];
const RESOURCES: readonly Pick<Place, 'resource' | 'where'>[] = [
  ...['a/x/1', 'a/x/2', 'a/x/0', 'a/y/1', 'b/y/2'].map((resource) => ({ resource, where: {} })),
  // Of what has a record, requests may say there what they like.
  ...['a/x/1', 'a/x/2', 'a/x/0', 'a/y/1'].map((resource) => ({ resource, where: { ...NOWHERE, up: '1' } })),
  ...[{}, NOWHERE, ...IN_X, IN_Y, ...IN_SEVERAL].map((where) => ({ resource: 'a/x/3', where })),
  ...[{}, NOWHERE, ...IN_X].map((where) => ({ resource: 'a/y/3', where })),
  ...[{}, NOWHERE, IN_Y].map((where) => ({ resource: 'b/y/3', where })),
];
export const PLACES: readonly Place[] = SUBJECTS.flatMap((subject) => RESOURCES.map((one) => ({ subject, ...one })));

/** The rest of what a request sends. */
export interface Sent {
  own?: Json | undefined;
  roles: readonly string[];
  n?: Json | undefined;
}

const numbers = fc.constantFrom<Json | undefined>(undefined, undefined, 0, 1, 1.5, 2, 'x');

export const sent: fc.Arbitrary<Sent> = fc.record({
  own: numbers,
  roles: fc.oneof(
    { weight: 1, arbitrary: fc.constant<string[]>([]) },
    { weight: 2, arbitrary: fc.uniqueArray(fc.constantFrom('r', 'a/r', 'a/q', 'b/q', 'b/p'), { maxLength: 3 }) },
  ),
  n: numbers,
});

/** A request about whom and what nothing names, or only a condition. */
export interface Probe {
  place: Place;
  sent: Sent;
  action: string;
}

export const probe: fc.Arbitrary<Probe> = fc.record({
  place: fc
    .tuple(
      fc.constantFrom('robot/nobody', 'robot/nobody', 'rover/nobody', 'robot/s', 'write/3', 'user/read', 'user/s'),
      fc.constantFrom(...RESOURCES, { resource: 'a/x/read', where: NOWHERE }, { resource: 'a/x/rover', where: {} }),
    )
    .map(([subject, one]) => ({ subject, ...one })),
  sent,
  action: fc.constantFrom('open', 'unheard of', 'robot', 'rover', 's', '3'),
});

/** A request that sends nothing that is recorded after (docs/semantics.md 11.3). */
export function requestOf(
  after: readonly EngineRecord[],
  { subject, resource, where }: Place,
  { own, roles, n }: Sent,
  action: string,
): DecisionRequest {
  const [type = '', id = ''] = subject.split('/');
  const [application = '', ofType = '', name = ''] = resource.split('/');
  const given = (kind: 'subject' | 'resource', address: string, value: Json | undefined): JsonObject => {
    const stored = fieldsOf(kind, after).get(address)?.properties ?? {};
    return value === undefined || Object.hasOwn(stored, 'n') ? {} : { n: value };
  };
  return {
    subject: { type, id, properties: given('subject', subject, own), ...(roles.length > 0 && { roles }) },
    resource: {
      type: `${application}/${ofType}`,
      name,
      properties: { ...where, ...given('resource', resource, n) },
    },
    action: { name: action },
  };
}

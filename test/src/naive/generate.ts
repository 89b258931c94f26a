import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { JsonObject } from '@authz-service/core/json/json';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, definitionOf, type Fields } from '@authz-service/core/records/registry';
import fc from 'fast-check';
import { ABOUT_NAMES, ABOUT_PRINCIPALS, CONDITIONS, QUESTIONS } from './conditions.js';
import { CONTEXT_MEMBERS, type ContextMember, membersOf } from './contexts.js';

/*
 * Random tenants and requests over so few names that collisions are the rule: types and roles of one name in two
 * applications and in the tenant, nested groups, links that begin and end, policies of equal priority, conditions that hold,
 * do not, lack an attribute or fail.
 */

const APPLICATIONS = ['a', 'b'];
const SUBJECTS = ['user/s', 'user/t', 'service/s'];
/** Most is about one subject, so that much comes together. */
export const MOSTLY = ['user/s', 'user/s', ...SUBJECTS];
const TYPES = ['a/x', 'a/y', 'b/y'];
const RESOURCES = ['a/x/1', 'a/x/2', 'a/y/1', 'b/y/2', 'a/x/0'];
/** Parents of resource types in some tenants. A resource lies only in others before it, so that there is no circle. */
const PARENT_TYPES: Record<string, { type: string; property: string }[]> = {
  'a/x': [
    { type: 'a/x', property: 'by' },
    { type: 'a/y', property: 'in' },
    { type: 'a/x', property: 'up' },
  ],
  'a/y': [{ type: 'a/x', property: 'up' }],
  'b/y': [{ type: 'a/y', property: 'in' }],
};
/** The properties that requests may send, of types of resources and of subjects: mostly all. */
const sendableOf = (type: string) => {
  const parents = (PARENT_TYPES[type] ?? []).map(({ property }) => property);
  return fc.constantFrom(undefined, undefined, undefined, undefined, [], ['n'], parents, ['n', ...parents]);
};
export const ROLES = ['r', 'a/r', 'a/q', 'b/q', 'b/p'];
/** With contexts made of `mfa` and `ip`, these hold, do not, read what is absent or fail. */
const UNLESS: NonNullable<Fields<'policy'>['unless']>[] = [
  { mfa_required: true },
  { ip_ranges: ['10.0.0.0/8'] },
  { mfa_required: true, ip_ranges: ['10.0.0.0/8'] },
];

/** Whether policies read other members of the context than these. */
const exceeds = (policies: Parameters<typeof membersOf>[0], reads: readonly ContextMember[]) =>
  !membersOf(policies).every((member) => reads.includes(member));
const reading = (conditions: readonly string[], reads: readonly ContextMember[]) =>
  conditions.filter((condition) => !exceeds([{ condition }], reads));

export const some = <T>(items: readonly T[], most: number) =>
  fc.uniqueArray(fc.constantFrom(...items), { maxLength: most, size: 'max' });
/** The fields of a subject by which it is suspended, which hide all else: one in ten is. */
const suspension = fc.oneof(
  { weight: 9, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object>(
      { suspended: true },
      ...[1000, 2000].map((end) => ({ suspended_until: new Date(end).toISOString() })),
    ),
  },
);
/** When a link counts; each of the bounds may be missing. */
const period = fc.option(
  fc.constantFrom<[number?, number?]>(
    [undefined, 1000],
    [undefined, 2000],
    [1000],
    [2000],
    [1000, 2000],
    [500, 1500],
    [1500, 3000],
  ),
  { nil: undefined, freq: 3 },
);
const within = (fields: object, [start, end]: [number?, number?] = []) => ({
  ...fields,
  ...(start !== undefined && { starts_at: new Date(start).toISOString() }),
  ...(end !== undefined && { expires_at: new Date(end).toISOString() }),
});
/** The paths of the resources that the one at this place may lie in. */
const parentsFor = (at: number) => {
  const types = PARENT_TYPES[typeOf(RESOURCES[at] ?? '')]?.map(({ type }) => type) ?? [];
  const before = RESOURCES.slice(0, at).filter((path) => types.includes(typeOf(path)));
  return before.length === 0 ? fc.constant([]) : some(before, 2);
};
const typeOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
export const properties = fc.option(fc.record({ n: fc.constantFrom<JsonObject[string]>(1, 2, 'x', null) }), {
  nil: undefined,
});

const actions = fc.constantFrom(['read'], ['read'], ['read', 'write'], ['write'], ['*'], ['read', 'other']);

/** `reads` are the members of the context that policies may read. */
const policy = (name: string, reads: readonly ContextMember[]) =>
  fc
    .record({
      application: fc.constantFrom(undefined, ...APPLICATIONS),
      effect: fc.constantFrom('ALLOW', 'ALLOW', 'ALLOW', 'ALLOW', 'DENY'),
      priority: fc.constantFrom(0, 1, 2),
      condition: fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        { weight: 2, arbitrary: fc.constantFrom(...reading(CONDITIONS, reads)) },
        { weight: 4, arbitrary: fc.constantFrom(...reading(QUESTIONS, reads)) },
        { weight: 3, arbitrary: fc.constantFrom(...reading(ABOUT_PRINCIPALS, reads)) },
        { weight: 2, arbitrary: fc.constantFrom(...reading(ABOUT_NAMES, reads)) },
      ),
      mfa: fc.constantFrom(undefined, undefined, undefined, reads.includes('mfa') ? (true as const) : undefined),
      unless: fc.constantFrom(undefined, ...UNLESS, ...UNLESS).filter((unless) => !exceeds([{ unless }], reads)),
      covered: fc.oneof(
        fc.record({
          resource_type: fc.constantFrom('a/x', 'a/x', 'a/x', ...TYPES),
          actions,
        }),
        fc.record({
          resource_types: fc.oneof(
            some(TYPES, 3).map((list) => (list.length > 0 ? list : ['a/x', 'b/y'])),
            fc.constant(['*']),
          ),
          actions,
        }),
        fc.record({
          resources: some(RESOURCES, 2)
            .map((list) => (list.length > 0 ? list : ['a/x/1']))
            .chain((list) => fc.tuple(fc.constant(list), fc.array(fc.constantFrom(true, undefined), { minLength: 2 })))
            .map(([list, below]) =>
              list.map((resource, at) => ({ resource, actions: [at === 0 ? 'read' : '*'], below: below[at] })),
            ),
        }),
      ),
    })
    .map(({ covered, mfa, unless, ...fields }) => ({
      ...fields,
      // Only a policy of an application can cover all its types.
      application:
        fields.application ?? ('resource_types' in covered && covered.resource_types[0] === '*' ? 'a' : undefined),
      name,
      ...covered,
      ...(mfa && fields.effect === 'ALLOW' && { modifiers: { mfa_required: mfa } }),
      ...(unless && fields.effect === 'DENY' && { unless }),
    }));

/** How much a tenant holds. */
interface Size {
  groups: readonly string[];
  policies: { min: number; max: number };
  assignments: number;
  memberships: number;
  /** Roles that somebody holds; 16 unless it is said. */
  holdings?: number;
  /** How often something is given to everyone: 1 unless it is said. */
  everyone?: number;
  /** Roles that requests may not name; any unless it is said. */
  unnamed?: readonly string[];
  /** The members of the context that conditions may read. */
  reads?: readonly ContextMember[];
  /** Further resources of `a/x`, most of which nothing tells apart; none unless it is said. */
  alike?: number;
}

const many = <T>(item: fc.Arbitrary<T>, most: number) =>
  fc.array(item, { minLength: most / 2, maxLength: most, size: 'max' });

const policies = ({ policies: { min, max }, reads = CONTEXT_MEMBERS }: Size) =>
  fc
    .integer({ min, max })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => policy(`p${at}`, reads))));

const holder = (groups: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...MOSTLY).map((path) => ({ entity_type: 'subject', entity: path })),
    fc.constantFrom(...groups).map((path) => ({ entity_type: 'group', entity: path })),
  );
const everyone = fc
  .constantFrom('*', 'user', 'service', 'robot')
  .map((entity) => ({ entity_type: 'everyone', entity }));
const entity = ({ groups, everyone: weight = 1 }: Size) =>
  fc.oneof(
    { weight: 9, arbitrary: holder(groups) },
    { weight, arbitrary: everyone },
    { weight: 12, arbitrary: fc.constantFrom(...ROLES).map((path) => ({ entity_type: 'role', entity: path })) },
  );

/** A group is a member only of groups before it, so that there is no cycle. */
const membership = (groups: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...groups), holder(groups), period)
    .filter(([group, member]) => member.entity_type === 'subject' || group < member.entity)
    .map(([group, member, when]) => within({ group, ...member }, when));

const holding = (groups: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom(...ROLES),
      fc.oneof({ weight: 8, arbitrary: holder(groups) }, { weight: 1, arbitrary: everyone }),
      fc.constantFrom(undefined, ...RESOURCES),
      period,
    )
    .map(([role, who, resource, when]) => within({ role, ...who, resource }, when));

/** A role includes only roles after it, so that there is no circle. */
function includedBy(path: string, included: readonly (readonly [number, number])[]): string[] | undefined {
  const found = included.flatMap(([role, other]) => (ROLES[role] === path && role < other ? [ROLES[other] ?? ''] : []));
  return found.length > 0 ? found : undefined;
}

/** Valid records of a tenant, in the order of their kinds. */
const tenantOf = (size: Size): fc.Arbitrary<EngineRecord[]> =>
  fc
    .record({
      resources: fc.tuple(...RESOURCES.map(() => properties)),
      hierarchy: fc.constantFrom(true, true, true, true, false),
      ofResources: fc.tuple(...TYPES.map(sendableOf)),
      ofUsers: sendableOf('user'),
      parents: fc.tuple(...RESOURCES.map((_, at) => parentsFor(at))),
      unnamed: size.unnamed === undefined ? some(ROLES, 4) : fc.constant(size.unnamed),
      included: fc.array(fc.tuple(fc.nat(ROLES.length - 1), fc.nat(ROLES.length - 1)), {
        minLength: 3,
        maxLength: 8,
        size: 'max',
      }),
      alike: fc.array(
        fc.tuple(properties, fc.constantFrom([], [], [], ...RESOURCES.slice(0, 3).map((path) => [path]))),
        {
          minLength: size.alike ?? 0,
          maxLength: size.alike ?? 0,
          size: 'max',
        },
      ),
      subjects: fc.tuple(...SUBJECTS.map(() => fc.tuple(properties, suspension))),
      policies: policies(size),
      given: many(fc.tuple(fc.nat(), entity(size), period), size.assignments),
      held: many(holding(size.groups), size.holdings ?? 16),
      memberships: many(membership(size.groups), size.memberships),
    })
    .map(
      ({
        resources,
        hierarchy,
        ofResources,
        ofUsers,
        parents,
        alike,
        unnamed,
        included,
        subjects,
        policies: made,
        given,
        held,
        memberships,
      }) => {
        const lying = (list: readonly string[] | undefined) => (hierarchy && list?.length ? { parents: list } : {});
        const list: [Kind, object][] = [
          ...APPLICATIONS.map((name): [Kind, object] => ['application', { name }]),
          ...TYPES.map((path, at): [Kind, object] => [
            'resource_type',
            {
              ...split(path),
              actions: path === 'b/y' ? ['read'] : ['read', 'write'],
              ...(hierarchy && { parents: PARENT_TYPES[path] }),
              ...(ofResources[at] && { from_requests: ofResources[at] }),
            },
          ]),
          ...RESOURCES.map((path, at): [Kind, object] => [
            'resource',
            { type: typeOf(path), name: path.slice(4), properties: resources[at], ...lying(parents[at]) },
          ]),
          ...alike.map(([own, places], at): [Kind, object] => [
            'resource',
            { type: 'a/x', name: `m${at}`, properties: own, ...lying(places) },
          ]),
          ...(ofUsers === undefined
            ? []
            : [['subject_type', { name: 'user', from_requests: ofUsers }] satisfies [Kind, object]]),
          ...SUBJECTS.map((path, at): [Kind, object] => {
            const [type, id] = path.split('/');
            const [own, suspended] = subjects[at] ?? [];
            return ['subject', { type, id, properties: own, ...suspended }];
          }),
          ...ROLES.map((path): [Kind, object] => [
            'role',
            {
              ...split(path),
              includes: includedBy(path, included),
              ...(unnamed.includes(path) && { from_requests: false }),
            },
          ]),
          ...size.groups.map((name): [Kind, object] => ['group', { name }]),
          ...made.map((fields): [Kind, object] => ['policy', fields]),
          ...given.map(([which, who, when]): [Kind, object] => {
            const { application, name } = made[which % made.length] as (typeof made)[number];
            return [
              'policy_assignment',
              within({ policy: application ? `${application}/${name}` : name, ...who }, when),
            ];
          }),
          ...held.map((fields): [Kind, object] => ['role_assignment', fields]),
          ...memberships.map((fields): [Kind, object] => ['group_membership', fields]),
        ];
        return storedRecords(list);
      },
    );

const SMALL: Size = {
  groups: ['f', 'g', 'h', 'i'],
  policies: { min: 8, max: 16 },
  assignments: 44,
  memberships: 8,
};

/** Tenants small enough that a failing one can be read. */
export const tenant = tenantOf(SMALL);

/** The same where conditions read only these members of the context. */
export const tenantReading = (reads: readonly ContextMember[]) => tenantOf({ ...SMALL, reads });

/** Tenants with so little that nobody has the same access in two ways: each included role, place and period counts. */
export const sparseTenantReading = (reads: readonly ContextMember[]) =>
  tenantOf({
    groups: ['f', 'g', 'h'],
    policies: { min: 2, max: 4 },
    assignments: 6,
    memberships: 4,
    holdings: 6,
    everyone: 3,
    reads,
  });

/** Tenants of a few records, where nothing hides what a single one of them does. */
export const tinyTenantReading = (reads: readonly ContextMember[]) =>
  tenantOf({
    groups: ['f', 'g', 'h'],
    policies: { min: 1, max: 3 },
    assignments: 4,
    memberships: 2,
    holdings: 4,
    everyone: 3,
    reads,
  });

/** Tenants with so many resources of one type that searches decide once for several of them. */
export const alikeTenant = tenantOf({
  ...{ groups: ['f', 'g'], policies: { min: 4, max: 8 }, assignments: 24, memberships: 6 },
  ...{ holdings: 6, unnamed: [], alike: 12 },
});

/** Tenants with more of everything on a few principals and targets than the engine scans. */
export const crowdedTenant = tenantOf({
  groups: Array.from({ length: 24 }, (_, at) => `g${at + 10}`),
  policies: { min: 40, max: 80 },
  assignments: 300,
  memberships: 60,
});

function split(path: string): { application?: string; name: string } {
  const [first, second] = path.split('/') as [string, string?];
  return second === undefined ? { name: first } : { application: first, name: second };
}

/** Records with ids; of two with one address the first stays. */
export function storedRecords(list: [Kind, object][]): EngineRecord[] {
  const byAddress = new Map<string, EngineRecord>();
  for (const [kind, raw] of list) {
    const fields = definitionOf(kind).schema.parse(JSON.parse(JSON.stringify(raw)));
    const address = addressOf(kind, fields);
    if (!byAddress.has(address))
      byAddress.set(address, { kind, id: `id-${byAddress.size}`, fields } as unknown as EngineRecord);
  }
  return [...byAddress.values()];
}

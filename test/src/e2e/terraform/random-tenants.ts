import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { path } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import {
  type DeclaredRecord,
  declare,
  definitionOf,
  type Fields,
  referencesOf,
} from '@authz-service/core/records/registry';
import fc from 'fast-check';
import { CONTEXT_MEMBERS } from '../../naive/contexts.js';
import { some, sparseTenantReading } from '../../naive/generate.js';

/** Texts that Terraform, JavaScript or YAML could read as something else; some differ only in signs. */
const TEXTS = [
  ...[
    'a.b',
    'a b',
    'a_b',
    'A-b',
    'ä',
    '1',
    '007',
    'null',
    'count',
    'for_each',
    '-',
    '"q"',
    "it's",
    '\\',
    '#',
    '@x',
    '%',
  ],
  ...['$', '%'].map((sign) => `${sign}{path.cwd}`),
  ...['$', '%'].map((sign) => `${sign}${sign}{x}`),
  ...['a/b', '//', 'b: c', '- d', 'constructor', '__proto__', 'true', '~', '&a', '*x', '|', '`', 'é\u2028'],
];
const names = (count: number) =>
  fc.uniqueArray(fc.constantFrom(...TEXTS), { minLength: count, maxLength: count, size: 'max' });
const text = fc.option(fc.constantFrom(...TEXTS, 'one\ntwo', '', 'x '.repeat(80)), { nil: undefined });
const scalar = fc.constantFrom(null, true, false, 0, 1e-7, 1.5, -3, 123456789012345, '', ...TEXTS);
const key = fc.constantFrom(...TEXTS.filter((name) => name !== '__proto__'));
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(key, fc.oneof(scalar, fc.constantFrom([], {}, [{ a: [] }])), { maxKeys: 2 }),
);
const json = fc.option(fc.dictionary(key, value, { maxKeys: 3 }), { nil: undefined });
/** A suspension of a subject, or none. */
const suspension = fc.constantFrom<object>(
  {},
  { suspended: true },
  { suspended: true, suspension_reason: 'Theft: "x", \u0024{path.cwd}\n# 2' },
  { suspended_until: '2999-01-01T00:00:00.500Z' },
  { suspended_until: '2001-01-01T00:00:00Z', suspension_reason: '@x' },
);
const directory = fc.record(
  {
    subject_type: fc.constantFrom('odd', 'odder'),
    id_from: fc.constantFrom('externalId', 'id'),
    properties: fc.dictionary(key, fc.constantFrom('name.familyName', 'emails[type eq "work"].value', '$ref'), {
      maxKeys: 3,
    }),
    groups: fc.record({ prefix: fc.constantFrom(...TEXTS) }),
    removals: fc.constantFrom('0%', '5%', '100%'),
    groups_emptied: fc.constantFrom(0, 7),
    suspensions: fc.constantFrom('0%', '20%'),
  },
  { requiredKeys: [] },
);
const time = fc.constantFrom('08:00', '17:30', '00:00');

/** Pairs of places in a list of so many. */
const pairs = (count: number, most: number) =>
  fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: most, size: 'max' });

/**
 * Parts that random tenants lack: odd names and texts, types that are each other's parents, resources and roles that
 * mention some of their kind that sort before or after them, modifiers, schemas, what requests may send, sharing, ages,
 * suspensions, directories, access rules.
 */
const odd = fc
  .record({
    types: names(4),
    within: pairs(4, 8),
    resources: names(6),
    below: pairs(6, 8),
    roles: names(4),
    includes: pairs(4, 6),
    groups: names(2),
    subjects: names(3),
    texts: fc.array(text, { minLength: 24, maxLength: 24 }),
    properties: fc.array(json, { minLength: 9, maxLength: 9 }),
    shared: fc.array(some(['a', 'b', 'odd'], 2), { minLength: 8, maxLength: 8 }),
    ranges: some(['10.0.0.0/8', '192.168.1.7', '2001:DB8::/32', '::1'], 3),
    windows: fc.array(
      fc.record(
        {
          start: time,
          end: time,
          zone: fc.constantFrom('Europe/Berlin', 'UTC'),
          days: fc.constantFrom(['mon'], ['sat', 'sun']),
        },
        { requiredKeys: ['start', 'end'] },
      ),
      { maxLength: 2 },
    ),
    mfa: fc.boolean(),
    sent: fc.array(fc.constantFrom('all', 'named', 'none'), { minLength: 6, maxLength: 6 }),
    suspensions: fc.array(suspension, { minLength: 3, maxLength: 3 }),
    directory,
  })
  .map((given) => {
    const at = <T>(list: readonly T[], place: number) => list[place % list.length] as T;
    const typeOf = (place: number) => at(given.types, place % 2);
    const mentioned = (list: readonly (readonly [number, number])[], place: number, later: boolean) => [
      ...new Set(list.filter(([from, to]) => from === place && (!later || to > place)).map(([, to]) => to)),
    ];
    const parentsOf = (place: number) =>
      [...new Set([...mentioned(given.within, place, false), 0, 1])].map((other) => ({
        type: path('odd', at(given.types, other)),
        property: `in ${at(given.types, other)}`,
      }));
    const sent = (which: string | undefined, names: readonly string[]) =>
      which === 'all' ? {} : { from_requests: which === 'none' ? [] : names };
    const list: [Kind, object][] = [
      ['application', { name: 'odd', description: given.texts[0] }],
      ...given.types.map((name, place): [Kind, object] => [
        'resource_type',
        {
          application: 'odd',
          name,
          actions: [
            'read',
            at(
              TEXTS.filter((one) => !/\s/.test(one)),
              given.texts.length + place,
            ),
          ],
          // Resources lie in those of the first two types.
          parents: parentsOf(place),
          ...sent(given.sent[place], [...parentsOf(place).map(({ property }) => property), at(TEXTS, place)]),
          shared_with: given.shared[place],
          description: given.texts[place],
          ...(place === 0 && { max_age: '1m30s' }),
        },
      ]),
      ...given.resources.map((name, place): [Kind, object] => [
        'resource',
        {
          type: path('odd', typeOf(place)),
          name,
          properties: given.properties[place],
          parents: mentioned(given.below, place, true).map((other) =>
            path('odd', typeOf(other), at(given.resources, other)),
          ),
          shared_with: given.shared[place],
          description: given.texts[4 + place],
        },
      ]),
      ...given.roles.map((name, place): [Kind, object] => [
        'role',
        {
          ...(place % 2 === 0 && { application: 'odd' }),
          name: `r ${name}`,
          includes: mentioned(given.includes, place, true)
            .filter((other) => other % 2 === place % 2 || place % 2 === 0)
            .map((other) => path(...(other % 2 === 0 ? ['odd'] : []), `r ${at(given.roles, other)}`)),
          description: given.texts[10 + place],
        },
      ]),
      ...given.groups.map((name, place): [Kind, object] => [
        'group',
        { name: `g ${name}`, description: given.texts[14 + place] },
      ]),
      ...given.subjects.map((id, place): [Kind, object] => [
        'subject',
        {
          type: 'odd',
          id,
          name: given.texts[16 + place]?.slice(0, 80),
          properties: given.properties[6 + place],
          ...given.suspensions[place],
        },
      ]),
      ['subject_type', { name: 'odd', ...sent(given.sent[4], TEXTS.slice(0, 5)) }],
      [
        'subject_type',
        {
          name: 'odder',
          properties: { n: 'number', 'a b': 'list' },
          ...sent(given.sent[5], ['a b']),
          description: given.texts[19],
        },
      ],
      ['context_attribute', { name: 'odd', type: 'any', description: given.texts[20] }],
      ['directory', { name: 'odd', ...given.directory, description: given.texts[20] }],
      [
        'policy',
        {
          application: 'odd',
          name: at(given.types, 3),
          effect: 'ALLOW',
          resource_types: ['*'],
          actions: ['read'],
          condition: `context.odd == ${JSON.stringify(at(TEXTS, given.windows.length))} || subject.id == "\u0024{x}"`,
          modifiers: {
            ...(given.ranges.length > 0 && { ip_ranges: given.ranges }),
            ...(given.windows.length > 0 && { time_windows: given.windows }),
            ...(given.mfa && { mfa_required: true }),
          },
          description: given.texts[21],
        },
      ],
      ['policy_assignment', { policy: path('odd', at(given.types, 3)), entity_type: 'everyone', entity: 'odd' }],
      [
        'role_assignment',
        {
          role: path('odd', `r ${given.roles[0]}`),
          entity_type: 'subject',
          entity: path('odd', at(given.subjects, 0)),
        },
      ],
      [
        'group_membership',
        { group: path(`g ${given.groups[0]}`), entity_type: 'group', entity: path(`g ${given.groups[1]}`) },
      ],
      [
        'access_rule',
        {
          name: at(given.types, 2),
          never: {
            subjects: { type: 'odd', where: 'subject.id == "\u0024{x}"' },
            actions: ['write', 'x'],
            resources: {
              types: [path('odd', at(given.types, 1))],
              named: [path('odd', typeOf(0), at(given.resources, 0))],
            },
          },
          mode: 'warn',
          description: given.texts[22],
        },
      ],
    ];
    return list.map(([kind, fields]) => declared(kind, fields));
  });

function declared(kind: Kind, given: object): DeclaredRecord {
  const { schema } = definitionOf(kind);
  return declare(kind, schema.parse(JSON.parse(JSON.stringify(given))) as Fields<Kind>);
}

/** Policies name actions that not all types have. */
function validOf({ kind, fields }: EngineRecord): DeclaredRecord {
  return declared(kind, kind === 'resource_type' ? { ...fields, actions: ['read', 'write', 'other'] } : fields);
}

/** The records of a tenant in which little is usual. */
export const oddTenant: fc.Arbitrary<DeclaredRecord[]> = fc
  .tuple(sparseTenantReading(CONTEXT_MEMBERS), odd)
  .map(([usual, more]) => {
    const records = [...usual.map(validOf), ...more];
    const addresses = new Set(records.map(({ address }) => address));
    const dangles = ({ kind, fields }: DeclaredRecord) =>
      referencesOf(kind, fields).some(({ target }) => !addresses.has(target));
    // Some conditions name groups that only larger tenants have.
    return records.map((record) =>
      dangles(record) ? declared(record.kind, { ...record.fields, condition: undefined }) : record,
    );
  });

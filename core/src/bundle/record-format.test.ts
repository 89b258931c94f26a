import { describe, expect, it } from 'vitest';
import type { EngineRecord } from '../access/api/engine.js';
import { macros } from '../conditions/evaluate/macros.js';
import { functions, LATER_FUNCTIONS, methods } from '../conditions/functions/functions.js';
import type { Kind } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { encodeDelta } from './delta-write.js';
import { bundleRevision, digestRecords } from './digest.js';
import { decodeBundle } from './read.js';
import { callsOf, formatOf } from './record-format.js';
import { recordText } from './record-text.js';
import { encodeBundle } from './write.js';

const record = (kind: Kind, fields: Record<string, unknown>) =>
  ({ kind, id: 'x', fields: definitionOf(kind).schema.parse(fields) }) as unknown as EngineRecord;

const held = { role: 'r', entity_type: 'subject', entity: 'user/u' };
const type = { application: 'a', name: 't', actions: ['read'] };
const policy = { name: 'p', effect: 'ALLOW', resource_type: 'a/t', actions: ['read'] };

const FIRST: [string, EngineRecord][] = [
  ['an application', record('application', { name: 'a', description: 'x' })],
  ['a type', record('resource_type', { ...type, properties: { n: 'number' } })],
  ['a type that is filterable, which no bundle says', record('resource_type', { ...type, filterable: true })],
  ['a resource', record('resource', { type: 'a/t', name: 'r', properties: { n: 1 } })],
  ['a subject', record('subject', { type: 'user', id: 'u', name: 'U', properties: {} })],
  ['a role', record('role', { application: 'a', name: 'r' })],
  ['a group', record('group', { name: 'g' })],
  ['a policy', record('policy', { ...policy, condition: 'true', modifiers: { mfa_required: true } })],
  ['a condition that names a new function', record('policy', { ...policy, condition: 'context.since == 1' })],
  ['a role assignment', record('role_assignment', { ...held, expires_at: '2027-01-01T00:00:00Z' })],
  ['a schema, which no bundle holds', record('context_attribute', { name: 'amount', type: 'number' })],
  ['a type of subjects that says nothing of requests, which no bundle holds', record('subject_type', { name: 'user' })],
  ['a directory, which no bundle holds', record('directory', { name: 'okta' })],
  ['a credential, which no bundle holds', record('api_key', { name: 'k', scopes: ['bundle'] })],
];

const SECOND: [string, EngineRecord][] = [
  ['a role on a resource', record('role_assignment', { ...held, resource: 'a/t/r' })],
  ['a role that requests may not name', record('role', { name: 'r', from_requests: false })],
  ['parents of a type', record('resource_type', { ...type, parents: [{ type: 'a/t', property: 'in' }] })],
  ['parents of a resource', record('resource', { type: 'a/t', name: 'r', parents: ['a/t/s'] })],
  [
    'a policy on all below a resource',
    record('policy', {
      name: 'p',
      effect: 'ALLOW',
      resources: [{ resource: 'a/t/r', actions: ['read'], below: true }],
    }),
  ],
  ...[
    'subject.in_group("g")',
    'subject.has_role ("r")',
    'ip_in(context.ip, "::1")',
    'since(context.at) > context.x',
  ].map((condition): [string, EngineRecord] => [condition, record('policy', { ...policy, condition })]),
  ['an assignment that begins', record('role_assignment', { ...held, starts_at: '2027-01-01T00:00:00Z' })],
];

/** The functions of the first agents, for good: a function that is new here says `since`. */
const FIRST_FUNCTIONS =
  `all bool cel.bind contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth getDayOfWeek
   getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has indexOf int
   join lastIndexOf lowerAscii map matches size split startsWith string substring timestamp trim type upperAscii`
    .split(/\s+/)
    .sort();

const subject = { type: 'user', id: 'u' };
const LATER: [string, 3 | 4 | 5, EngineRecord][] = [
  ['sensitive properties', 5, record('resource_type', { ...type, sensitive: ['n'], max_age: '30s' })],
  ['sensitive properties of subjects', 5, record('subject_type', { name: 'user', sensitive: ['n'] })],
  ['a sensitive attribute of the context', 5, record('context_attribute', { name: 'n', type: 'any', sensitive: true })],
  ['properties that requests may send', 4, record('resource_type', { ...type, from_requests: [] })],
  ['properties of subjects that requests may send', 4, record('subject_type', { name: 'user', from_requests: [] })],
  ['a budget of a type', 3, record('resource_type', { ...type, max_age: '30s' })],
  ['a suspended subject', 4, record('subject', { ...subject, suspended: true })],
  ['one suspended until a moment', 4, record('subject', { ...subject, suspended_until: '2027-01-01T00:00:00Z' })],
];

function format(records: EngineRecord[]): unknown {
  const digest = digestRecords(records);
  const tenants = [{ id: 't', name: 't', revision: `1.${digest.slice(0, 16)}`, digest, records }];
  const text = encodeBundle({ revision: bundleRevision(tenants), tenants });
  expect(decodeBundle(text).format).toBe(JSON.parse(text.toString()).format);
  return JSON.parse(text.toString()).format;
}

describe('a bundle', () => {
  it.each(FIRST)('has format 1 with %s', (_, one) => {
    expect([formatOf(one), format([one])]).toEqual([1, 1]);
  });

  it.each(SECOND)('has format 2 with %s', (_, one) => {
    expect([formatOf(one), format([one])]).toEqual([2, 2]);
  });

  it.each([...LATER_FUNCTIONS])('has the format of the readers that have %s()', (name, since) => {
    const call = functions.has(name) ? `${name}(context.a)` : `context.a.${name}()`;
    const one = record('policy', { ...policy, condition: `${call} == context.b` });
    expect([formatOf(one), format([one])]).toEqual([since, since]);
  });

  it.each<[string, object]>([
    ['alone', {}],
    ['beside a call of format 2', { condition: 'ip_in(context.ip, "::1") && newest(context.a)' }],
    ['beside a name of format 2', { condition: 'subject.in_group("g") && newest(context.a)' }],
    ['beside a field of format 2', { effect: 'DENY', unless: { mfa_required: true } }],
  ])('has format 3 with a function that only its readers have, %s', (_, fields) => {
    const calls = callsOf(new Map([...LATER_FUNCTIONS, ['newest', 3] as const]));
    expect(formatOf(record('policy', { ...policy, condition: 'newest(context.a)', ...fields }), calls)).toBe(3);
  });

  it('has format 1 with no function but those that its first readers had', () => {
    const names = [...functions.keys(), ...methods.keys(), ...macros].filter((name) => !LATER_FUNCTIONS.has(name));
    expect([...new Set(names)].sort()).toEqual(FIRST_FUNCTIONS);
  });

  it.each(LATER)('with %s has format %i, whatever else it has', (_, since, one) => {
    const others = [record('application', { name: 'a' }), record('role_assignment', { ...held, resource: 'a/t/r' })];
    expect([formatOf(one), format([one]), format([...others, one]), format([one, ...others])]).toEqual(
      Array.from({ length: 4 }, () => since),
    );
    const text = recordText(one);
    const head = { tenant: { id: 't', name: 't' }, base: { revision: '1.0', digest: '' }, revision: '2.0', digest: '' };
    for (const change of [{ before: text }, { after: text }])
      expect(JSON.parse(Buffer.concat(encodeDelta(head, [change])).toString())).toMatchObject({ format: since });
  });

  it('says nothing of a type but what older readers know where decisions do not follow from it', () => {
    const [plain, filterable] = [record('resource_type', type), record('resource_type', { ...type, filterable: true })];
    expect(recordText(filterable)).toBe(recordText(plain));
    expect(digestRecords([filterable])).toBe(digestRecords([plain]));
  });

  it('has the newest of its formats, in any order', () => {
    const later = LATER.slice(3, 5).map(([, , one]) => one);
    expect([format(later), format([...later].reverse())]).toEqual([4, 4]);
  });
});

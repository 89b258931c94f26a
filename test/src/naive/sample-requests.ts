import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { CONTEXT_VALUES } from './contexts.js';
import { fieldsOf, instantsOf, isAllowed } from './enumerate-pairs.js';
import { evaluate } from './evaluate.js';
import type { ChangedSample } from './finding-covers.js';
import { whereaboutsOf } from './whereabouts.js';

/** A question about subjects and resources with and without a record; `at` picks the instant, round and round. */
interface Sample {
  subject: { type: string; id: string; properties?: JsonObject };
  role?: string;
  resource: { type: string; name: string; properties: JsonObject };
  action: string;
  context: JsonObject;
  at: number;
}

const n = fc.constantFrom<Json>(0, 1, 1.5, 2, 3, 'x', null);
/** It lies nowhere, below one recorded resource or several, or nobody says where, or not all of it (docs/semantics.md 10.2). */
const places = fc.constantFrom<JsonObject>(
  ...[
    { up: null, by: null, in: null },
    { up: '1', by: null, in: null },
    { up: null, by: '2', in: null },
    { up: '0', by: null, in: null },
  ],
  ...[{ up: null, by: null, in: '1' }, {}, {}],
  ...[
    { up: '1', by: null, in: '1' },
    { up: '2', by: null, in: '1' },
    { up: '1', by: '2', in: null },
    { up: '0', by: '2', in: '1' },
  ],
  ...[{ up: '1' }, { up: '2', by: null }, { in: '1' }, { up: null, by: null }, { in: null }],
);
const sent = fc.tuple(places, fc.record({ n }, { requiredKeys: [] })).map(([place, own]) => ({ ...place, ...own }));

/** Nobody records `nobody`, the types `robot` and `rover`, the resource `3` or `read`, or the action `other` on most types. */
export const sample: fc.Arbitrary<Sample> = fc
  .record({
    subject: fc.constantFrom(
      'user/s',
      'user/t',
      'service/s',
      'user/nobody',
      'user/nobody',
      'user/read',
      'robot/nobody',
      'rover/nobody',
      'write/3',
    ),
    own: fc.option(n, { nil: undefined }),
    role: fc.option(fc.constantFrom('a/r', 'a/q', 'b/q', 'b/p'), { nil: undefined, freq: 2 }),
    type: fc.constantFrom('a/x', 'a/x', 'a/y', 'b/y'),
    name: fc.constantFrom('0', '1', '2', '3', '3', '3', 'read', 'rover'),
    sent,
    action: fc.constantFrom('read', 'read', 'write', 'other', 'unheard of', 'open', '1', '3', 's', 'rover'),
    context: fc.record(
      Object.fromEntries(
        Object.entries(CONTEXT_VALUES).map(([member, values]) => [
          member,
          fc.constantFrom<Json | undefined>(...values),
        ]),
      ),
    ),
    at: fc.nat(20),
  })
  .map(({ subject, own, role, type, name, sent: given, action, context, at }) => {
    const [kind = '', id = ''] = subject.split('/');
    return {
      subject: { type: kind, id, ...(own !== undefined && { properties: { n: own } }) },
      ...(role !== undefined && { role }),
      resource: { type, name, properties: given },
      action,
      context: Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined)) as JsonObject,
      at,
    };
  });

/** The sample if the states answer it differently; by semantics 10.4 it sends nothing that is recorded. */
export function changedSample(
  before: readonly EngineRecord[],
  after: readonly EngineRecord[],
  start: number,
  { subject, role, resource, action, context, at }: Sample,
): ChangedSample | undefined {
  const instants = instantsOf(before, after, start);
  const now = instants[at % instants.length] ?? start;
  const path = `${resource.type}/${resource.name}`;
  const recorded = {
    subject: fieldsOf('subject', before, after).has(`${subject.type}/${subject.id}`),
    resource: fieldsOf('resource', before, after).has(path),
  };
  // Where a record lies is for the record to say, where both states have it.
  const { up: _, in: __, by: ___, ...withoutPlace } = resource.properties;
  const always = [before, after].every((records) => fieldsOf('resource', records).has(path));
  const own = always ? withoutPlace : resource.properties;
  const placed = [before, after].some(
    (records) =>
      !fieldsOf('resource', records).has(path) && fieldsOf('resource_type', records).get(resource.type)?.parents,
  );
  // Roles are named for those that nothing else is assigned to, and for those whose suspension changes.
  const roles = fieldsOf('role', before, after);
  const [once, then] = [before, after].map((records) => {
    const { suspended, suspended_until } =
      fieldsOf('subject', records).get(`${subject.type}/${subject.id}`) ?? ({} as Partial<Fields<'subject'>>);
    return JSON.stringify([suspended, suspended_until]);
  });
  const named = role !== undefined && (!recorded.subject || once !== then) && roles.has(role);
  const request: DecisionRequest = {
    subject: {
      type: subject.type,
      id: subject.id,
      properties: unrecorded(subject.properties, [before, after], `subject/${subject.type}/${subject.id}`),
      ...(named && { roles: [role] }),
    },
    resource: { ...resource, properties: unrecorded(own, [before, after], `resource/${path}`) },
    action: { name: action },
    context,
  };
  const answers = [evaluate(before, request, now), evaluate(after, request, now)] as const;
  if (answers.some((answer) => 'error' in answer && answer.error !== 'evaluation_failed')) return undefined;
  const [was, is] = answers.map(isAllowed);
  if (was === is) return undefined;
  return { change: is ? 'gained' : 'lost', request, now, recorded, placed, ...aboutTypes([before, after], request) };
}

/** Without the properties that either state records. */
function unrecorded(properties: JsonObject = {}, states: (readonly EngineRecord[])[], address: string): JsonObject {
  const kind = address.slice(0, address.indexOf('/')) as 'subject' | 'resource';
  const path = address.slice(kind.length + 1);
  const stored = states.map((records) => fieldsOf(kind, records).get(path)?.properties ?? {});
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => !stored.some((one) => Object.hasOwn(one, name))),
  );
}

const writesOut = (condition = '', type: string) =>
  condition.includes('subject.type') && condition.includes(`"${type}"`);

function aboutTypes(states: (readonly EngineRecord[])[], { subject, resource }: DecisionRequest) {
  const mentions = ({ kind, fields }: EngineRecord) =>
    (kind === 'subject' && (fields as { type: string }).type === subject.type) ||
    ('entity_type' in fields && fields.entity_type === 'everyone' && fields.entity === subject.type) ||
    // A condition that reads the type tells those apart that it writes out.
    (kind === 'policy' && writesOut((fields as Fields<'policy'>).condition, subject.type));
  const where = states.map((records) => whereaboutsOf(records, resource.type, undefined, resource.properties ?? {}));
  const known = where.flatMap((one) => (one === 'invalid_request' ? [] : [one]));
  return {
    mentioned: states.flat().some(mentions),
    type: resource.type,
    above: new Set(known.flatMap(({ above }) => [...above])),
    unsaid: known.some(({ unknown }) => unknown.size > 0),
  };
}

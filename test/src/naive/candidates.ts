import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { Absent } from '@authz-service/core/conditions/values/outcome';
import { Scope } from '@authz-service/core/conditions/values/scope';
import type { SubjectPrincipals } from '@authz-service/core/conditions/values/subject-principals';
import type { JsonObject } from '@authz-service/core/json/json';
import { names, path } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, type Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { sendable, whereaboutsOf } from './whereabouts.js';

/** The access path: direct, role or group. */
type Rank = 0 | 1 | 2;
type Stored<K extends Kind> = { id: string; path: string; fields: Fields<K> };

/** Lists of records are not changed. */
const grouped = new WeakMap<readonly EngineRecord[], Map<Kind, Stored<Kind>[]>>();

function recordsByKind(records: readonly EngineRecord[]): Map<Kind, Stored<Kind>[]> {
  const known = grouped.get(records);
  if (known !== undefined) return known;
  const found = new Map<Kind, Stored<Kind>[]>();
  for (const { kind, id, fields } of records) {
    const list = found.get(kind) ?? [];
    list.push({ id, path: addressOf(kind, fields).slice(kind.length + 1), fields });
    found.set(kind, list);
  }
  grouped.set(records, found);
  return found;
}

export interface Candidate {
  policy: Stored<'policy'>;
  rank: Rank;
  /** False if only unknown ways lead to it (semantics 8.6). */
  known: boolean;
}

/** All of a question but its context, which makes a difference only to what conditions and modifiers give. */
interface Question {
  candidates: readonly Candidate[];
  scope(context: JsonObject): Scope;
}

/** Semantics 2.6. */
export function isSuspended(subject: Fields<'subject'> | undefined, now: number): boolean {
  const { suspended, suspended_until } = subject ?? {};
  return suspended === true || (suspended_until !== undefined && now < Date.parse(suspended_until));
}

/** Returns what the records say, before the context of the request is looked at. `now` is milliseconds. */
export function candidatesOf(
  records: readonly EngineRecord[],
  asked: DecisionRequest,
  now: number,
): Question | { error: 'ambiguous_name' | 'invalid_request' } {
  const byKind = recordsByKind(records);
  const all = <K extends Kind>(kind: K) => (byKind.get(kind) ?? []) as unknown as readonly Stored<K>[];
  const counts = ({ fields }: { fields: { starts_at?: string | undefined; expires_at?: string | undefined } }) =>
    (fields.starts_at === undefined || now >= Date.parse(fields.starts_at)) &&
    (fields.expires_at === undefined || now < Date.parse(fields.expires_at));

  // Semantics 1: the names in the request.
  const types = all('resource_type').filter(
    (type) => type.path === asked.resource.type || type.fields.name === asked.resource.type,
  );
  if (types.length > 1) return { error: 'ambiguous_name' };
  const [type] = types;
  const subjectType = all('subject_type').find(({ fields }) => fields.name === asked.subject.type);
  const counted = <T extends { properties?: JsonObject }>(one: T, names: readonly string[] | undefined): T =>
    one.properties === undefined ? one : { ...one, properties: sendable(one.properties, names) };
  const request = {
    ...asked,
    subject: counted(asked.subject, subjectType?.fields.from_requests),
    resource: counted(asked.resource, type?.fields.from_requests),
  };
  const namedRoles: string[] = [];
  for (const name of request.subject.roles ?? []) {
    const fits = all('role').filter((role) => role.path === name || role.fields.name === name);
    const chosen =
      fits.find((role) => role.path === name) ?? fits.find((role) => role.fields.application === undefined);
    if (chosen === undefined && fits.length > 1) return { error: 'ambiguous_name' };
    const meant = chosen ?? fits[0];
    // Semantics 8.9.
    if (meant !== undefined && meant.fields.from_requests !== false) namedRoles.push(meant.path);
  }
  const { id, name } = request.resource;
  const ofType = all('resource').filter((resource) => resource.fields.type === type?.path);
  const byName = (wanted: string | undefined) => ofType.find((resource) => resource.fields.name === wanted);
  const resource = name !== undefined ? byName(name) : (ofType.find((one) => one.id === id) ?? byName(id));
  const subject = all('subject').find(
    ({ fields }) => fields.type === request.subject.type && fields.id === request.subject.id,
  );

  // Semantics 8.1 to 8.3: where the resource lies, and where it may lie for all that is known.
  const where = whereaboutsOf(records, type?.path, resource?.path, request.resource.properties ?? {});
  if (where === 'invalid_request') return { error: where };
  const mayLieBelow = (path: string) =>
    !where.above.has(path) && where.unknown.has(path.slice(0, path.lastIndexOf('/')));
  const liesIn = (path: string) => path === resource?.path || where.above.has(path);

  // Semantics 2: whom the subject acts as, and by which access path (6.1).
  const subjectAddress = `subject/${path(request.subject.type, request.subject.id)}`;
  const ranks = new Map<string, Rank>([[subjectAddress, 0]]);
  const actsAs = (address: string, rank: Rank) =>
    ranks.set(address, Math.min(rank, ranks.get(address) ?? rank) as Rank);
  for (let size = 0; size < ranks.size; ) {
    size = ranks.size;
    for (const { fields, ...rest } of all('group_membership'))
      if (counts({ fields, ...rest }) && ranks.has(`${fields.entity_type}/${fields.entity}`))
        actsAs(`group/${fields.group}`, 2);
  }
  // Semantics 9.2: everyone, and everyone of the subject's type.
  actsAs('everyone/*', 2);
  actsAs(`everyone/${path(request.subject.type)}`, 2);
  /** Each way to act as somebody: its rank, and whether it is known that it is one (8.4, 8.6). */
  const ways: { principal: string; rank: Rank; known: boolean }[] = [];
  for (const { fields } of all('role_assignment').filter(counts)) {
    const holder = `${fields.entity_type}/${fields.entity}`;
    if (!ranks.has(holder)) continue;
    const rank = holder === subjectAddress ? 1 : 2;
    const { role, resource: place } = fields;
    const known = place === undefined || liesIn(place);
    if (known || mayLieBelow(place)) ways.push({ principal: `role/${role}`, rank, known });
  }
  // Semantics 9.3: a way to a role is one to all that it includes. The list grows while it is gone through.
  for (const { principal, rank, known } of ways)
    for (const { fields, path: role } of all('role'))
      for (const included of principal === `role/${role}` ? (fields.includes ?? []) : [])
        ways.push({ principal: `role/${included}`, rank, known });
  // Naming a role also names what it includes, which may be in vain by 8.9. This list grows, too.
  for (const named of namedRoles) {
    ways.push({ principal: `role/${named}`, rank: 1, known: true });
    for (const included of all('role').find((role) => role.path === named)?.fields.includes ?? [])
      if (all('role').some((role) => role.path === included && role.fields.from_requests !== false))
        namedRoles.push(included);
  }
  for (const [principal, rank] of ranks) ways.push({ principal, rank, known: true });

  // Semantics 3 and 4: the candidates, and the outcome of each.
  const facts = {
    type: type?.fields.name ?? '',
    application: names(type?.fields.application ?? '')[0] ?? '',
    id: resource === undefined ? id : resource.id,
    name: resource === undefined ? name : resource.fields.name,
  };
  // Semantics 8.10.
  const ancestry = {
    of: (wanted: string) => {
      if (where.unknown.has(wanted)) return new Absent('the place');
      const found = all('resource').filter(({ path: one, fields }) => where.above.has(one) && fields.type === wanted);
      found.sort((left, right) => (left.fields.name < right.fields.name ? -1 : 1));
      return found.map(({ id: own, fields }) => ({
        ...{ type: names(wanted)[1] ?? '', application: names(wanted)[0] ?? '', id: own },
        ...{ name: fields.name, properties: fields.properties ?? {} },
      }));
    },
  };
  // Semantics 4.11 and 4.12: what conditions ask about the principals.
  const principals: SubjectPrincipals = {
    inGroup: (group) => ranks.has(`group/${group}`),
    hasRole: (role) => {
      const held = ways.filter(({ principal }) => principal === `role/${role}`);
      return held.some(({ known }) => known) || (held.length > 0 && new Absent('the place'));
    },
  };
  const stored = [subject?.fields.properties, resource?.fields.properties] as const;
  const candidates = all('policy').flatMap((policy) => {
    const { application, resource_type, resource_types, actions, resources } = policy.fields;
    const covers = (names: readonly string[]) => names.includes('*') || names.includes(request.action.name);
    // Semantics 9.1: of several types, on those that declare the action.
    const wide =
      type !== undefined &&
      (resource_types?.includes(type.path) === true ||
        (resource_types?.[0] === '*' && type.fields.application === application));
    const declared = (actions ?? []).filter((action) => action === '*' || type?.fields.actions.includes(action));
    const covered =
      (type !== undefined && resource_type === type.path && covers(actions ?? [])) ||
      (wide && covers(declared)) ||
      (resources ?? []).some(
        (item) => covers(item.actions) && (item.below ? liesIn(item.resource) : item.resource === resource?.path),
      );
    const maybeCovered = (resources ?? []).some(
      (item) => covers(item.actions) && item.below === true && mayLieBelow(item.resource),
    );
    if (isSuspended(subject?.fields, now) || type === undefined || (!covered && !maybeCovered)) return [];
    const found = all('policy_assignment')
      .filter((link) => link.fields.policy === policy.path && counts(link))
      .flatMap(({ fields }) => ways.filter(({ principal }) => principal === `${fields.entity_type}/${fields.entity}`));
    const certain = covered ? found.filter(({ known }) => known) : [];
    const paths = certain.length > 0 ? certain : found;
    if (paths.length === 0) return [];
    const rank = Math.min(...paths.map((way) => way.rank)) as Rank;
    return [{ policy, rank, known: certain.length > 0 }];
  });
  const scope = (context: JsonObject) =>
    new Scope({ ...request, context }, facts, now, ...stored, ancestry, principals);
  return { candidates, scope };
}

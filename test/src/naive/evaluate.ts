import { Guard } from '@authz-service/core/conditions/guard';
import { Absent, both, Failure, type Outcome } from '@authz-service/core/conditions/outcome';
import { Scope } from '@authz-service/core/conditions/scope';
import type { SubjectPrincipals } from '@authz-service/core/conditions/subject-principals';
import type { AccessPathKind } from '@authz-service/core/decision/api/decision';
import type { EngineRecord } from '@authz-service/core/decision/api/engine';
import type { DecisionRequest } from '@authz-service/core/decision/api/request';
import { names, path } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, type Fields } from '@authz-service/core/records/registry';
import { whereaboutsOf } from './whereabouts.js';

/** An answer, as far as it can be compared. */
export type NaiveAnswer =
  | { decision: boolean; access_path: AccessPathKind; policy?: string; policy_id?: string }
  | { error: 'ambiguous_name' | 'evaluation_failed' | 'invalid_request' };

const PATHS = ['direct', 'role', 'group'] as const;
type Rank = 0 | 1 | 2;
type Stored<K extends Kind> = { id: string; path: string; fields: Fields<K> };

/** Decides by docs/semantics.md as it is written, going through all records each time. `now` is milliseconds. */
export function evaluate(records: readonly EngineRecord[], request: DecisionRequest, now: number): NaiveAnswer {
  const all = <K extends Kind>(kind: K): Stored<K>[] =>
    records
      .filter((record) => record.kind === kind)
      .map(({ id, fields }) => ({ id, path: addressOf(kind, fields).slice(kind.length + 1), fields }) as Stored<K>);
  const counts = ({ fields }: { fields: { starts_at?: string | undefined; expires_at?: string | undefined } }) =>
    (fields.starts_at === undefined || now >= Date.parse(fields.starts_at)) &&
    (fields.expires_at === undefined || now < Date.parse(fields.expires_at));

  // Semantics 1: the names in the request.
  const types = all('resource_type').filter(
    (type) => type.path === request.resource.type || type.fields.name === request.resource.type,
  );
  if (types.length > 1) return { error: 'ambiguous_name' };
  const [type] = types;
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
  const scope = new Scope(request, facts, now, ...stored, ancestry, principals);
  const evaluated = all('policy').flatMap((policy) => {
    const { application, resource_type, resource_types, actions, resources, condition, modifiers, unless } =
      policy.fields;
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
    if (type === undefined || (!covered && !maybeCovered)) return [];
    const found = all('policy_assignment')
      .filter((link) => link.fields.policy === policy.path && counts(link))
      .flatMap(({ fields }) => ways.filter(({ principal }) => principal === `${fields.entity_type}/${fields.entity}`));
    const certain = covered ? found.filter(({ known }) => known) : [];
    const paths = certain.length > 0 ? certain : found;
    if (paths.length === 0) return [];
    const required: Outcome = new Guard(condition, modifiers).evaluate(scope);
    // Semantics 4.10: exempted where every part holds; a part that is absent does not.
    const parts = Object.entries(unless ?? {}).map(([name, value]) =>
      new Guard(undefined, { [name]: value }).evaluate(scope),
    );
    const exempting = parts.some((part) => part === false || part instanceof Absent)
      ? false
      : (parts.find((part) => part instanceof Failure) ?? parts.length > 0);
    const met: Outcome =
      exempting === true || required === false
        ? false
        : required instanceof Absent || exempting === false
          ? required
          : exempting;
    const outcome = certain.length > 0 ? met : both(new Absent('the place'), met);
    const rank = Math.min(...paths.map((way) => way.rank)) as Rank;
    return [{ policy, rank, outcome, deny: policy.fields.effect === 'DENY' }];
  });

  // Semantics 5 and 6.2: which of them decides.
  const applies = evaluated.filter(({ outcome, deny }) => outcome === true || (deny && outcome instanceof Absent));
  const failed = evaluated.filter(({ outcome }) => outcome instanceof Failure);
  const priority = (one: (typeof evaluated)[number]) => one.policy.fields.priority;
  const open = failed.some(
    (one) => one.deny && !applies.some((other) => other.deny && priority(other) >= priority(one)),
  );
  if (open || (applies.length === 0 && failed.length > 0)) return { error: 'evaluation_failed' };
  const [deciding] = applies.sort(
    (left, right) =>
      priority(right) - priority(left) ||
      Number(right.deny) - Number(left.deny) ||
      left.rank - right.rank ||
      (left.policy.path < right.policy.path ? -1 : 1),
  );
  if (deciding === undefined) return { decision: false, access_path: 'none' };
  const { policy, deny, rank } = deciding;
  return { decision: !deny, access_path: PATHS[rank], policy: `policy/${policy.path}`, policy_id: policy.id };
}

import { sameActivity } from '../../access/grants/period.js';
import { canonicalJson, type Json } from '../../json/json.js';
import { type Address, decodeSegment, type Path } from '../../records/address.js';
import { namesInCondition } from '../../records/condition-names.js';
import { EVERYONE } from '../../records/everyone.js';
import type { DeclaredRecord, Fields } from '../../records/registry.js';
import type { AccessSide } from './access-side.js';
import { mentioning, recordAt } from './access-view.js';
import { type PolicyRecord, policyPath } from './covering-policies.js';
import { type ChangedProperties, changedProperties, readsChange } from './reads-change.js';

/** A record that a change-set changes; without one side it is added or removed. */
export interface RecordPair {
  readonly address: Address;
  readonly before?: DeclaredRecord | undefined;
  readonly after?: DeclaredRecord | undefined;
}

/** The access that one changed record can touch: whose, and to what of which policies. */
export interface TouchedAccess {
  readonly address: Address;
  /** The principals whose subjects are touched: `everyone/*` stands for all. */
  readonly principals: ReadonlySet<Address>;
  /** The policies by which access may change; undefined where only one resource is touched. */
  readonly policies: ReadonlySet<PolicyRecord> | undefined;
  /** The resource alone that is touched, with all below it. */
  readonly resource: Path | undefined;
  /** The groups and roles that a changed link leads to, for rules that ask for them. */
  readonly reached: ReadonlySet<Address>;
  /** The types that are touched as a whole. */
  readonly types: ReadonlySet<Path>;
  /** The actions that alone are touched, if not all are. */
  readonly actions: ReadonlySet<string> | undefined;
  /** The properties that alone are changed, if a change is one of properties. */
  readonly properties: ChangedProperties | undefined;
  /** Whether a subject is suspended by it, or no longer. */
  readonly suspension: boolean;
  /** Whether access may be won by it, or lost. */
  readonly gains: boolean;
  readonly loses: boolean;
}

const ALL: Address = `${EVERYONE}/*`;

/** The touch of a record that may change all access. */
export function touchOfAll(address: Address): TouchedAccess {
  return {
    address,
    principals: new Set([ALL]),
    policies: undefined,
    resource: undefined,
    types: new Set(),
    reached: new Set(),
    properties: undefined,
    actions: undefined,
    suspension: false,
    gains: true,
    loses: true,
  };
}

/** Returns what a changed record can touch in one of the two states. */
export function touchOf(
  { address, before, after }: RecordPair,
  side: AccessSide,
  isAfter: boolean,
): TouchedAccess | undefined {
  const record = isAfter ? after : before;
  if (record === undefined) return undefined;
  const only = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const touch = (
    principals: Iterable<Address>,
    policies: Iterable<PolicyRecord>,
    more: Partial<TouchedAccess> = {},
  ): TouchedAccess => {
    const all = new Set(policies);
    const allows = [...all].some(({ fields }) => fields.effect === 'ALLOW');
    const denies = [...all].some(({ fields }) => fields.effect === 'DENY');
    return {
      ...touchOfAll(address),
      principals: new Set(principals),
      policies: all,
      gains: only === 'changed' || (only === 'added' ? allows : denies),
      loses: only === 'changed' || (only === 'added' ? denies : allows),
      ...more,
    };
  };
  const both = { gains: true, loses: true };
  switch (record.kind) {
    case 'policy': {
      const assignees = side.policies.assigneesOf(policyPath(record)).map(({ principal }) => principal);
      return touch(assignees, [record]);
    }
    case 'policy_assignment': {
      const { entity_type, entity, policy } = record.fields;
      const found = side.view.get(`policy/${policy}`);
      return touch([`${entity_type}/${entity}`], found?.kind === 'policy' ? [found] : []);
    }
    case 'role_assignment': {
      const { role, entity_type, entity, resource } = record.fields;
      const reached = side.closures.including(role).map((one): Address => `role/${one}`);
      const asking = [...askingFor(side, reached)];
      return touch([`${entity_type}/${entity}`], [...policiesOf(side, reached), ...asking], {
        resource,
        reached: new Set(reached),
        ...(asking.length > 0 && both),
      });
    }
    case 'group_membership': {
      const { group, entity_type, entity } = record.fields;
      const reached = side.closures.reachedFrom(`group/${group}`);
      const asking = [...askingFor(side, reached)];
      return touch([`${entity_type}/${entity}`], [...policiesOf(side, reached), ...asking], {
        reached,
        ...(asking.length > 0 && both),
      });
    }
    case 'role': {
      if (only === 'changed' && sameRole(before?.fields, after?.fields)) return undefined;
      const own = address.slice('role/'.length);
      const roles = only === 'changed' ? [own] : [own, ...namesakesOf(side, own)];
      const reached = roles.flatMap((role) => side.closures.including(role)).map((one): Address => `role/${one}`);
      // A role that comes or goes by itself is a name less or more for what it includes, and for its namesakes.
      if (only !== 'changed' && reached.length === 1) return undefined;
      const named = roles.map((role): Address => `role/${role}`);
      return touch(named, [...policiesOf(side, reached), ...askingFor(side, reached)], {
        reached: new Set(reached),
        ...both,
      });
    }
    case 'subject': {
      const { type, path } = subjectOf(address);
      if (!sameActivity(before?.fields as Given<'subject'>, after?.fields as Given<'subject'>)) {
        const policies = policiesOf(side, side.principalsOf(type, path));
        return touch([address], policies, { suspension: true, ...both });
      }
      if (only !== 'changed' || sameProperties(before?.fields, after?.fields)) return undefined;
      const properties = changedProperties(
        'subject',
        (before?.fields as Given<'subject'>)?.properties,
        (after?.fields as Given<'subject'>)?.properties,
      );
      const reading = [...policiesOf(side, side.principalsOf(type, path))].filter(({ fields }) =>
        readsChange(fields, properties),
      );
      return touch([address], reading, { properties, ...both });
    }
    case 'resource': {
      // One without a record may be said to be anywhere, but none may be said to lie in what has no record.
      if (only === 'removed' || (only === 'changed' && sameResource(before?.fields, after?.fields))) return undefined;
      const [old, now] = [before?.fields as Given<'resource'>, after?.fields as Given<'resource'>];
      const { type } = record.fields;
      // Of a new one that is a parent of nothing, requests could say the same before, but in the properties that name parents.
      const leaf = only === 'added' && (now?.parents ?? []).length < 2 && !holdsOthers(side, type);
      const said = new Set(side.parentsOf(type).map(({ property }) => property));
      if (leaf && said.size === 0) return undefined;
      const moved = only === 'added' ? !leaf : !equalJson(old?.parents, now?.parents);
      const changed: ChangedProperties = leaf
        ? { of: 'resource', names: said }
        : changedProperties('resource', old?.properties, now?.properties);
      return touch([ALL], [], {
        policies: undefined,
        resource: address.slice('resource/'.length),
        properties: moved ? undefined : changed,
        ...both,
      });
    }
    case 'resource_type': {
      // A wildcard covers a new type at once.
      if (only === 'changed' && sameType(before?.fields, after?.fields)) return undefined;
      const types = typesFrom(side, address.slice('resource_type/'.length));
      const [old, now] = [before?.fields as Given<'resource_type'>, after?.fields as Given<'resource_type'>];
      const [was, is] = [new Set(old?.actions), new Set(now?.actions)];
      const changed = [...was, ...is].filter((action) => !was.has(action) || !is.has(action));
      const whole = !equalJson(old?.parents, now?.parents) || !equalJson(old?.from_requests, now?.from_requests);
      const actions = only === 'changed' && !whole ? new Set(changed) : undefined;
      return touch([ALL], [], { policies: undefined, types, actions, ...both });
    }
    case 'subject_type': {
      const [old, now] = [before?.fields as Given<'subject_type'>, after?.fields as Given<'subject_type'>];
      return equalJson(old?.from_requests, now?.from_requests) ? undefined : touchOfAll(address);
    }
    default:
      return undefined;
  }
}

function subjectOf(address: Address): { type: string; path: Path } {
  const path = address.slice('subject/'.length);
  return { type: decodeSegment(path.slice(0, path.indexOf('/'))), path };
}

/** The roles of applications that requests mean by the name of a role of the tenant where that is not there (1.5). */
function namesakesOf(side: AccessSide, role: Path): Path[] {
  const name = recordAt(side.view, 'role', role)?.fields.name;
  if (role.includes('/') || name === undefined) return [];
  return side.rolesNamed(name).filter((one) => one !== role);
}

function* policiesOf(side: AccessSide, principals: Iterable<Address>): Generator<PolicyRecord> {
  for (const principal of principals)
    for (const { fields } of mentioning(side.view, principal, 'policy_assignment')) {
      if (`${fields.entity_type}/${fields.entity}` !== principal) continue;
      const policy = side.view.get(`policy/${fields.policy}`);
      if (policy?.kind === 'policy') yield policy;
    }
}

/** The policies whose conditions ask for these groups and roles. */
function* askingFor(side: AccessSide, principals: Iterable<Address>): Generator<PolicyRecord> {
  for (const principal of principals)
    for (const policy of mentioning(side.view, principal, 'policy'))
      if (namesInCondition(policy.fields.condition ?? '').some(({ target }) => target === principal)) yield policy;
}

/** Whether resources of other types, or of this one, may lie in those of a type. */
function holdsOthers(side: AccessSide, type: Path): boolean {
  for (const { fields } of mentioning(side.view, `resource_type/${type}`, 'resource_type'))
    if (fields.parents?.some((parent) => parent.type === type)) return true;
  return false;
}

/** A type and all that may lie below it. */
function typesFrom(side: AccessSide, type: Path): Set<Path> {
  const all = new Set([type]);
  for (const one of all)
    for (const { address, fields } of mentioning(side.view, `resource_type/${one}`, 'resource_type'))
      if (fields.parents?.some((parent) => parent.type === one)) all.add(address.slice('resource_type/'.length));
  return all;
}

type Given<K extends 'role' | 'subject' | 'subject_type' | 'resource' | 'resource_type'> = Fields<K> | undefined;

function sameRole(before: unknown, after: unknown): boolean {
  const [old, now] = [before as Given<'role'>, after as Given<'role'>];
  return equalJson(old?.includes, now?.includes) && old?.from_requests === now?.from_requests;
}

function sameProperties(before: unknown, after: unknown): boolean {
  return equalJson((before as Given<'subject'>)?.properties, (after as Given<'subject'>)?.properties);
}

function sameResource(before: unknown, after: unknown): boolean {
  return (
    sameProperties(before, after) &&
    equalJson((before as Given<'resource'>)?.parents, (after as Given<'resource'>)?.parents)
  );
}

function sameType(before: unknown, after: unknown): boolean {
  const [old, now] = [before as Given<'resource_type'>, after as Given<'resource_type'>];
  return (
    equalJson(old?.parents, now?.parents) &&
    equalJson(old?.actions, now?.actions) &&
    equalJson(old?.from_requests, now?.from_requests)
  );
}

function equalJson(left: unknown, right: unknown): boolean {
  return left === right || canonicalJson((left ?? null) as Json) === canonicalJson((right ?? null) as Json);
}

import { coveredInScope } from '../../access/slice/covered-in-scope.js';
import { append } from '../../collections/append.js';
import { closure } from '../../collections/closure.js';
import { ProblemError } from '../../problem.js';
import { type Address, address, type Path, typeOfResource } from '../../records/address.js';
import { EVERYONE } from '../../records/everyone.js';
import type { StoredRecord } from '../../records/registry.js';

export const SCOPE_KINDS = ['application', 'resource_type', 'resource', 'subject'] as const;
export type ScopeKind = (typeof SCOPE_KINDS)[number];

/** The scope of a review: an application, a type of resources, a resource and all below it, or one subject. */
export interface ReviewScope {
  readonly kind: ScopeKind;
  /** The path of the record: `billing`, `billing/invoice`, `billing/invoice/INV-1`, `user/alice`. */
  readonly path: Path;
  /** Only these actions; absent means every one. */
  readonly actions?: readonly string[] | undefined;
}

/** The records that decide about a scope, and what belongs to it. */
export interface ScopedRecords {
  /** Valid together; policies and links that are about other resources alone are left out. */
  readonly records: readonly StoredRecord[];
  /** The paths of the types whose resources can belong to the scope. */
  readonly types: ReadonlySet<Path>;
  /** The resource and all recorded ones below it. */
  readonly resources: ReadonlySet<Path> | undefined;
  /** The places above the resource. */
  readonly above: ReadonlySet<Path>;
  /** Whether others of its own type can lie below the resource. */
  readonly nests: boolean;
}

export function noScope({ kind, path }: ReviewScope, when: string): ProblemError {
  return new ProblemError('not_found', `There is no record "${address(kind, path)}" ${when}: choose another scope.`);
}

/** Throws `not_found` where the tenant has no record of the scope. */
export function scopedRecords(all: readonly StoredRecord[], scope: ReviewScope): ScopedRecords {
  const { kind: of, path } = scope;
  const wanted = address(of, path);
  if (!all.some((record) => record.address === wanted)) throw noScope(scope, 'at this revision');
  if (of === 'subject') return recordsOfSubject(all, path);
  const parentTypes = new Map<Path, readonly Path[]>();
  const parents = new Map<Path, readonly Path[]>();
  for (const { kind, address: own, fields } of all) {
    const name = own.slice(own.indexOf('/') + 1);
    if (kind === 'resource_type') parentTypes.set(name, fields.parents?.map(({ type }) => type) ?? []);
    if (kind === 'resource') parents.set(name, fields.parents ?? []);
  }
  const resources = of === 'resource' ? closure([path], inverse(parents)) : undefined;
  const start = {
    application: () => [...parentTypes.keys()].filter((type) => type.startsWith(`${path}/`)),
    resource_type: () => [path],
    resource: () => closure([typeOfResource(path)], inverse(parentTypes)),
  };
  const types = new Set(start[of]());
  const kept = resources && closure(resources, parents);
  const typesAbove = closure(types, parentTypes);
  const isKept = (resource: Path) => kept?.has(resource) ?? typesAbove.has(typeOfResource(resource));
  const policies = new Map<Path, StoredRecord>();
  for (const record of all) {
    if (record.kind !== 'policy') continue;
    const narrowed = coveredInScope(record.fields, { types, isKept });
    if (narrowed !== undefined)
      policies.set(record.address, narrowed === record.fields ? record : { ...record, fields: narrowed });
  }
  const records = all.flatMap((record): StoredRecord[] => {
    const { kind, fields } = record;
    if (kind === 'access_rule' || kind === 'api_key' || kind === 'oauth_client') return [];
    if (kind === 'policy') return [policies.get(record.address) ?? []].flat();
    if (kind === 'policy_assignment') return policies.has(address('policy', fields.policy)) ? [record] : [];
    if (kind === 'resource') return isKept(record.address.slice('resource/'.length)) ? [record] : [];
    if (kind === 'role_assignment' && fields.resource !== undefined) return isKept(fields.resource) ? [record] : [];
    return [record];
  });
  const above = of === 'resource' ? closure([path], parents) : new Set<Path>();
  const type = typeOfResource(path);
  const nests = of === 'resource' && closure(parentTypes.get(type) ?? [], parentTypes).has(type);
  return { records, types, resources, above, nests };
}

/** The records that decide about one subject: policies and links only of those whom it acts as. */
export function recordsOfSubject(all: readonly StoredRecord[], path: Path): ScopedRecords {
  const own = address('subject', path);
  const given = new Map<Address, Address[]>();
  const give = (to: Address, what: Address) => append(given, to, what);
  for (const { kind, address: of, fields } of all) {
    if (kind === 'group_membership') give(`${fields.entity_type}/${fields.entity}`, `group/${fields.group}`);
    if (kind === 'role_assignment') give(assigneeOf(fields), `role/${fields.role}`);
    if (kind === 'role') for (const included of fields.includes ?? []) give(of, `role/${included}`);
  }
  const principals = closure([own, EVERYONE], given);
  const isOf = (fields: { entity_type: string; entity: string }) => principals.has(assigneeOf(fields));
  const policies = new Set<Path>();
  for (const { kind, fields } of all) if (kind === 'policy_assignment' && isOf(fields)) policies.add(fields.policy);
  const types = new Set<Path>();
  const records = all.filter((record) => {
    const { kind, fields } = record;
    const name = record.address.slice(record.address.indexOf('/') + 1);
    if (kind === 'resource_type') types.add(name);
    if (kind === 'access_rule' || kind === 'api_key' || kind === 'oauth_client') return false;
    if (kind === 'subject') return name === path;
    if (kind === 'policy') return policies.has(name);
    if (kind === 'policy_assignment' || kind === 'role_assignment' || kind === 'group_membership') return isOf(fields);
    return true;
  });
  return { records, types, resources: undefined, above: new Set(), nests: false };
}

/** Whom a link gives something to; everyone of any type is `everyone`. */
function assigneeOf({ entity_type, entity }: { entity_type: string; entity: string }): Address {
  return entity_type === EVERYONE ? EVERYONE : `${entity_type}/${entity}`;
}

function inverse(parents: ReadonlyMap<Path, readonly Path[]>): Map<Path, Path[]> {
  const children = new Map<Path, Path[]>();
  for (const [child, list] of parents) for (const parent of list) append(children, parent, child);
  return children;
}

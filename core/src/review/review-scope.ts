import { ProblemError } from '../problem.js';
import { address, type Path, typeOfResource } from '../records/address.js';
import { ALL_TYPES } from '../records/policy.js';
import type { Fields, StoredRecord } from '../records/registry.js';

/** The part of a tenant that a review is about: an application, a type of resources, or a resource and all below it. */
export interface ReviewScope {
  readonly part: 'application' | 'resource_type' | 'resource';
  /** The path of the record: `billing`, `billing/invoice`, `billing/invoice/INV-1`. */
  readonly path: Path;
  /** Only these actions; absent means every one. */
  readonly actions?: readonly string[] | undefined;
}

/** The records that decide about a part, and what belongs to it. */
export interface ScopedRecords {
  /** Valid together; policies and links that are about other resources alone are left out. */
  readonly records: readonly StoredRecord[];
  /** The paths of the types whose resources can belong to the part. */
  readonly types: ReadonlySet<Path>;
  /** Of a resource: it and all recorded ones below it. */
  readonly resources: ReadonlySet<Path> | undefined;
  /** Of a resource: what it lies in. */
  readonly above: ReadonlySet<Path>;
  /** Of a resource: whether others of its own type can lie below it. */
  readonly nests: boolean;
}

/** Throws `not_found` where the tenant has no such part. */
export function scopedRecords(all: readonly StoredRecord[], { part, path }: ReviewScope): ScopedRecords {
  const wanted = address(part, path);
  if (!all.some((record) => record.address === wanted))
    throw new ProblemError('not_found', `There is no record "${wanted}" at this revision: choose another part.`);
  const parentTypes = new Map<Path, readonly Path[]>();
  const parents = new Map<Path, readonly Path[]>();
  for (const { kind, address: own, fields } of all) {
    const of = own.slice(own.indexOf('/') + 1);
    if (kind === 'resource_type') parentTypes.set(of, fields.parents?.map(({ type }) => type) ?? []);
    if (kind === 'resource') parents.set(of, fields.parents ?? []);
  }
  const resources = part === 'resource' ? closure([path], inverse(parents)) : undefined;
  const start = {
    application: () => [...parentTypes.keys()].filter((type) => type.startsWith(`${path}/`)),
    resource_type: () => [path],
    resource: () => closure([typeOfResource(path)], inverse(parentTypes)),
  };
  const types = new Set(start[part]());
  const kept = resources && closure(resources, parents);
  const typesAbove = closure(types, parentTypes);
  const isKept = (resource: Path) => kept?.has(resource) ?? typesAbove.has(typeOfResource(resource));
  const policies = new Map<Path, StoredRecord>();
  for (const record of all) {
    if (record.kind !== 'policy') continue;
    const narrowed = narrowedPolicy(record.fields, types, isKept);
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
  const above = part === 'resource' ? closure([path], parents) : new Set<Path>();
  const type = typeOfResource(path);
  const nests = part === 'resource' && closure(parentTypes.get(type) ?? [], parentTypes).has(type);
  return { records, types, resources, above, nests };
}

/** What a policy says of these types and resources; undefined if nothing. */
function narrowedPolicy(
  fields: Fields<'policy'>,
  types: ReadonlySet<Path>,
  isKept: (resource: Path) => boolean,
): Fields<'policy'> | undefined {
  const { resources, resource_type, resource_types = [], application } = fields;
  if (resources === undefined) {
    const ofAll = resource_types.includes(ALL_TYPES) && [...types].some((type) => type.startsWith(`${application}/`));
    const covered = [resource_type ?? [], resource_types].flat().some((type) => types.has(type));
    return ofAll || covered ? fields : undefined;
  }
  const told = resources.filter(
    ({ resource, below }) => isKept(resource) && (below === true || types.has(typeOfResource(resource))),
  );
  if (told.length === resources.length) return fields;
  return told.length === 0 ? undefined : { ...fields, resources: told };
}

/** These, and all that is reached from them. */
function closure(start: Iterable<Path>, next: ReadonlyMap<Path, readonly Path[]>): Set<Path> {
  const found = new Set(start);
  for (const one of found) for (const other of next.get(one) ?? []) found.add(other);
  return found;
}

function inverse(parents: ReadonlyMap<Path, readonly Path[]>): Map<Path, Path[]> {
  const children = new Map<Path, Path[]>();
  for (const [child, list] of parents)
    for (const parent of list) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [child]);
      else known.push(child);
    }
  return children;
}

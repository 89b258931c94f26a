import { type Path, typeOfResource } from '../../records/address.js';
import { ALL_TYPES } from '../../records/policy.js';
import type { Fields } from '../../records/registry.js';

/** The resources that a scope is about, and those above them. */
export interface ResourceScope {
  /** The paths of the types whose resources are asked about. */
  readonly types: ReadonlySet<Path>;
  /** Whether a resource is asked about or lies above one that is. */
  isKept(resource: Path): boolean;
}

/** Returns what a policy covers in the scope; undefined if nothing. */
export function coveredInScope(
  fields: Fields<'policy'>,
  { types, isKept }: ResourceScope,
): Fields<'policy'> | undefined {
  const { resources, resource_type, resource_types = [], application } = fields;
  if (resources === undefined) {
    const ofAll = resource_types.includes(ALL_TYPES) && [...types].some((type) => type.startsWith(`${application}/`));
    const covered = [resource_type ?? [], resource_types].flat().some((type) => types.has(type));
    return ofAll || covered ? fields : undefined;
  }
  const kept = resources.filter(
    ({ resource, below }) => isKept(resource) && (below === true || types.has(typeOfResource(resource))),
  );
  if (kept.length === resources.length) return fields;
  return kept.length === 0 ? undefined : { ...fields, resources: kept };
}

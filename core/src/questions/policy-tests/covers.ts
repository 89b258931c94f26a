import type { Inspection } from '../../access/evaluate/inspection.js';
import { address, type Path } from '../../records/address.js';
import { ALL_TYPES } from '../../records/policy.js';
import type { Fields } from '../../records/registry.js';

/** Whether a policy covers a resource and an action (docs/semantics.md 3.2, 3.3, 8.5, 9.1). */
export function covers(
  { application, actions = [], ...fields }: Fields<'policy'>,
  { type, resource, ancestors }: Pick<Inspection, 'type' | 'resource' | 'ancestors'>,
  action: string,
  declared: (type: Path) => readonly string[],
): boolean {
  const has = (names: readonly string[]) => names.includes('*') || names.includes(action);
  if (fields.resources !== undefined) {
    return fields.resources.some((entry) => {
      const covered = address('resource', entry.resource);
      return has(entry.actions) && (covered === resource || (entry.below === true && ancestors.includes(covered)));
    });
  }
  if (type === undefined || !has(actions)) return false;
  if (fields.resource_types === undefined) return fields.resource_type === type;
  const named = fields.resource_types.includes(type);
  const ofAll = fields.resource_types.includes(ALL_TYPES) && type.startsWith(`${application}/`);
  return (named || ofAll) && (actions.includes('*') || declared(type).includes(action));
}

import { ANY_NAMES, ANY_TEXT, type PartialRequest } from '../../conditions/residual/partial-request.js';
import { readsOf } from '../../conditions/residual/reads.js';
import type { PolicyGuard } from '../../conditions/residual/residuals.js';
import { type Path, typeOfResource } from '../../records/address.js';
import { ALL_TYPES } from '../../records/policy.js';
import type { DeclaredRecord, Fields } from '../../records/registry.js';

/**
 * A request of which nothing is known but the types of its resource and subject: what holds for it, holds for every
 * request. `now` is milliseconds since the epoch.
 */
export function anyRequest(type: Path, subjectType: string, now: number): PartialRequest {
  const [application = '', name = ''] = type.split('/').map(decodeURIComponent);
  return {
    subject: { type: subjectType, id: ANY_TEXT, recorded: {}, sent: true },
    action: { name: 'any', sent: true },
    resource: { type: name, application, names: ANY_NAMES, recorded: {}, sent: true },
    principals: { inGroup: () => false, hasRole: (path) => ({ anyOf: [path] }) },
    span: { from: now, until: Number.POSITIVE_INFINITY },
  };
}

/** Whether a guard reads nothing that `anyRequest` must choose: then what holds for that holds for every request. */
export function isSettledByAny(guard: PolicyGuard): boolean {
  const { groups, ancestors, actionName } = readsOf(guard);
  return groups.length === 0 && ancestors.length === 0 && !actionName;
}

/** Types of subjects of which one stands for all others: those that are recorded, and one that is not. */
export function subjectTypes(records: readonly DeclaredRecord[], guards: readonly PolicyGuard[]): string[] {
  if (!guards.some((guard) => readsOf(guard).subjectType)) return ['user'];
  const named = guards.flatMap(({ condition = '' }) =>
    [...condition.matchAll(/(["'])((?:(?!\1)[^\\])*)\1/g)].map(([, , text = '']) => text),
  );
  const recorded = records.flatMap(({ kind, fields }) => (kind === 'subject' ? [fields.type] : []));
  return [...new Set([...recorded, ...named, '\u0000'])];
}

/** The paths of the types that a policy covers something of; none where they cannot be told. */
export function coveredTypes(
  { application, resource_type, resource_types = [], resources }: Fields<'policy'>,
  types: readonly Path[],
): Path[] {
  if (resources !== undefined) {
    // What lies below a resource may be of any type.
    if (resources.some(({ below }) => below)) return [...types];
    return [...new Set(resources.map(({ resource }) => typeOfResource(resource)))];
  }
  if (resource_type !== undefined) return [resource_type];
  return resource_types.includes(ALL_TYPES)
    ? types.filter((type) => type.startsWith(`${application}/`))
    : [...resource_types];
}

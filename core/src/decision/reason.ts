import type { Absent } from '../conditions/outcome.js';
import type { Policy } from './entities.js';
import type { AccessPath, DecisionRequest } from './types.js';
import { BY_GROUP, BY_ROLE, DIRECT, type Rank, type Way } from './way.js';

export const ACCESS_PATHS: { readonly [R in Rank]: AccessPath } = {
  [DIRECT]: 'direct',
  [BY_ROLE]: 'role',
  [BY_GROUP]: 'group',
};

/** Why a policy decides, in a sentence: `Policy "policy/billing/approve" allows "read" through role/billing/accountant.` */
export function decidingReason(policy: Policy, way: Way, action: string, absent: Absent | null): string {
  const does = policy.deny ? 'denies' : 'allows';
  const because = absent === null ? '' : `, because ${absent.attribute} is absent`;
  return `Policy "${policy.address}" ${does} "${action}" ${inWords(way)}${because}.`;
}

/** How the subject comes to a policy. */
function inWords({ rank, principal, group }: Way): string {
  if (rank === DIRECT) return 'directly';
  const through = `through ${principal.kind}/${principal.name}`;
  return group === null || group === principal ? through : `${through} of group/${group.name}`;
}

/** Says also what of the question the tenant does not know: `actions` are those of the type, undefined without one. */
export function noMatchReason(
  { subject, action, resource }: DecisionRequest,
  actions: readonly string[] | undefined,
): string {
  const which = resource.name ?? resource.id ?? '';
  const asked = `No policy matched: "${action.name}" on ${resource.type} "${which}" for ${subject.type} "${subject.id}"`;
  if (actions === undefined) return `${asked}; there is no resource type "${resource.type}".`;
  return actions.includes(action.name) ? `${asked}.` : `${asked}; the type has no action "${action.name}".`;
}

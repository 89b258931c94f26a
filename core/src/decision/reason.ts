import type { Absent } from '../conditions/outcome.js';
import { BY_GROUP, BY_ROLE, DIRECT, type Met, type Rank } from './search.js';
import type { AccessPath, DecisionRequest } from './types.js';

export const ACCESS_PATHS: { readonly [R in Rank]: AccessPath } = {
  [DIRECT]: 'direct',
  [BY_ROLE]: 'role',
  [BY_GROUP]: 'group',
};

/** Why a policy decides, in a sentence: `Policy "policy/billing/approve" allows "read" through role/billing/accountant.` */
export function decidingReason(met: Met, action: string, absent: Absent | null): string {
  const does = met.policy.deny ? 'denies' : 'allows';
  const because = absent === null ? '' : `, because ${absent.attribute} is absent`;
  return `Policy "${met.policy.address}" ${does} "${action}" ${wayInWords(met)}${because}.`;
}

/** How the subject comes to a policy. */
function wayInWords(met: Met): string {
  if (met.rank === DIRECT) return 'directly';
  const through = `through ${met.principal.kind}/${met.principal.name}`;
  return met.group === null || met.group === met.principal ? through : `${through} of group/${met.group.name}`;
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

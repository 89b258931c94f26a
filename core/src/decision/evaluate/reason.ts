import type { Absent } from '../../conditions/outcome.js';
import type { DecisionRequest } from '../api/request.js';
import type { Policy } from '../grants/rule.js';
import { type AccessPath, DIRECT } from '../graph/access-path.js';

/** Why a policy decides, in a sentence: `Policy "policy/billing/approve" allows "read" through role/billing/accountant.` */
export function decidingReason(policy: Policy, path: AccessPath, action: string, absent: Absent | null): string {
  const does = policy.deny ? 'denies' : 'allows';
  const because = absent === null ? '' : `, because ${absent.attribute} is absent`;
  return `Policy "${policy.address}" ${does} "${action}" ${inWords(path)}${because}.`;
}

/** The access path in words. */
function inWords({ rank, principal, group }: AccessPath): string {
  if (rank === DIRECT) return 'directly';
  const through = `through ${principal.kind}/${principal.name}`;
  return group === null || group === principal ? through : `${through} of group/${group.name}`;
}

/** Says also what the tenant does not know of the request: `actions` are those of the type, undefined without one. */
export function noMatchReason(
  { subject, action, resource }: DecisionRequest,
  actions: readonly string[] | undefined,
): string {
  const which = resource.name ?? resource.id ?? '';
  const asked = `No policy matched: "${action.name}" on ${resource.type} "${which}" for ${subject.type} "${subject.id}"`;
  if (actions === undefined) return `${asked}; there is no resource type "${resource.type}".`;
  return actions.includes(action.name) ? `${asked}.` : `${asked}; the type has no action "${action.name}".`;
}

import type { Absent } from '../../conditions/values/outcome.js';
import { isEmpty } from '../grants/period.js';
import type { Policy } from '../grants/rule.js';
import { type AccessPath, DIRECT } from '../graph/access-path.js';
import { uncountedProperties } from '../graph/counted-properties.js';
import type { Principal } from '../graph/principal.js';
import { placeAddress } from './candidate.js';
import type { UnmetPolicy } from './combining-algorithm.js';
import type { ResolvedRequest } from './resolved-request.js';

/** Why a policy decides, in a sentence: `Policy "policy/billing/approve" allows "read" through role/billing/accountant.` */
export function decidingReason(policy: Policy, path: AccessPath, action: string, absent: Absent | null): string {
  const does = policy.deny ? 'denies' : 'allows';
  const because = absent === null ? '' : `, because ${absent.attribute} is absent`;
  return `Policy "${policy.address}" ${does} "${action}" ${inWords(path)}${because}.`;
}

/** The access path in words. */
function inWords({ rank, principal, group, place, via }: AccessPath): string {
  if (rank === DIRECT) return 'directly';
  const through = `through ${principal.address}`;
  const of = group === null || group === principal ? '' : ` of ${group.address}`;
  const within = via === null ? '' : ` in ${via.address}`;
  return `${through}${within}${of}${place === null ? '' : ` on ${placeAddress(place)}`}`;
}

/** Why a suspended subject is denied: `subject/user/alice is suspended until 2027-01-01T00:00:00.000Z.` */
export function suspendedReason({ address, activity }: Principal): string {
  const end = activity === null || isEmpty(activity) ? '' : ` until ${new Date(activity.start).toISOString()}`;
  return `${address} is suspended${end}: it is allowed nothing.`;
}

/** Also names what the tenant does not know of the request, and the attribute that an ALLOW needs (docs/semantics.md 4.3). */
export function noMatchReason(
  { request, asked = request, subject: known, type, roles }: ResolvedRequest,
  unmet: UnmetPolicy | null,
): string {
  const { subject, action, resource } = request;
  const which = resource.name ?? resource.id ?? '';
  const missing = known === undefined ? [`there is no subject "${subject.type}/${subject.id}"`] : [];
  if (type === undefined) missing.push(`there is no resource type "${resource.type}"`);
  else if (!type.actions.includes(action.name)) missing.push(`the type has no action "${action.name}"`);
  if (unmet !== null)
    missing.push(
      `policy "${unmet.candidate.policy.address}" does not apply: attribute ${unmet.absent.attribute} is absent`,
    );
  for (const role of roles.uncounted) missing.push(`requests may not name ${role.address}`);
  for (const attribute of uncountedProperties(asked, request)) missing.push(`requests may not send ${attribute}`);
  const what = `"${action.name}" on ${resource.type} "${which}" for ${subject.type} "${subject.id}"`;
  return `${[`No policy matched: ${what}`, ...missing].join('; ')}.`;
}

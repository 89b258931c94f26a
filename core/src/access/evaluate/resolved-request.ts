import type { DecisionRequest } from '../../request.js';
import type { Resource, ResourceType } from '../grants/target.js';
import type { NamedRoles } from '../graph/named-roles.js';
import type { Principal } from '../graph/principal.js';
import { type Whereabouts, whereaboutsOf } from '../graph/whereabouts.js';

/** A request and what its names stand for in the tenant. */
export interface ResolvedRequest {
  /** Without the properties that do not count. */
  readonly request: DecisionRequest;
  /** The request as it was made; absent where the same holds for all candidates of a search. */
  readonly asked?: DecisionRequest;
  readonly subject: Principal | undefined;
  readonly roles: NamedRoles;
  readonly type: ResourceType | undefined;
  readonly resource: Resource | undefined;
  /** The places of the resource; null if no role and no policy counts because of them. */
  readonly where: Whereabouts | null;
}

/** Returns the places of the resource for conditions, which may ask for them even if nothing else counts because of them. */
export function placesOf({
  type,
  resource,
  where,
}: Pick<ResolvedRequest, 'type' | 'resource' | 'where'>): Whereabouts | null {
  if (where !== null || type === undefined || resource === undefined) return where;
  return whereaboutsOf(type, resource, undefined);
}

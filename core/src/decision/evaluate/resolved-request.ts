import type { DecisionRequest } from '../api/request.js';
import type { Resource, ResourceType } from '../grants/target.js';
import type { NamedRoles } from '../graph/named-roles.js';
import type { Principal } from '../graph/principal.js';
import type { Whereabouts } from '../graph/whereabouts.js';

/** A request and what its names stand for in the tenant. */
export interface ResolvedRequest {
  readonly request: DecisionRequest;
  readonly subject: Principal | undefined;
  readonly roles: NamedRoles;
  readonly type: ResourceType | undefined;
  readonly resource: Resource | undefined;
  /** Where the resource lies; null where that makes no difference. */
  readonly where: Whereabouts | null;
}

import type { Principal, Resource, ResourceType } from './entities.js';
import type { DecisionRequest } from './types.js';

/** A request's names, found in the tenant. */
export interface Question {
  readonly request: DecisionRequest;
  readonly subject: Principal | undefined;
  /** The roles that the request names. */
  readonly roles: readonly Principal[];
  readonly type: ResourceType | undefined;
  readonly resource: Resource | undefined;
}

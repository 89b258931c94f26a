import { type Grants, visitRules } from '../grants/grants.js';
import type { ResourceType } from '../grants/target.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import { AccessPath, DIRECT, THROUGH_ROLE } from '../graph/access-path.js';
import type { EffectivePrincipals, GrantsAndPaths } from '../graph/effective-principals.js';
import { includedIn } from '../graph/included-roles.js';
import type { Principal } from '../graph/principal.js';
import type { ResolvedRequest } from './resolved-request.js';
import { visitPlaces } from './visit-places.js';

/** Visits every rule that covers the request's action and resource, of every principal that the subject acts as. */
export function visitCandidates(
  resolved: ResolvedRequest,
  effective: EffectivePrincipals | undefined,
  visitor: RuleVisitor<AccessPath>,
  every: boolean,
): void {
  const { request, subject, roles, type, resource } = resolved;
  if (type === undefined) return;
  const action = request.action.name;
  if (subject !== undefined && effective !== undefined) {
    if (subject.grants !== null) {
      const direct = new AccessPath(DIRECT, subject, null, null);
      visitRules(subject.grants, direct, type, resource, action, visitor, every);
    }
    visitEach(effective.always, resolved, type, visitor, every);
    if (effective.indexed) {
      visitEach(effective.for(type), resolved, type, visitor, every);
      if (resource !== undefined) visitEach(effective.for(resource), resolved, type, visitor, every);
    }
  }
  for (const named of roles) {
    visitNamed(named, null, resolved, type, visitor, every);
    for (const included of includedIn(named)) visitNamed(included, named, resolved, type, visitor, every);
  }
  if (resolved.where !== null) visitPlaces(resolved, effective, visitor, every);
}

/** A role that the request names, or one that such a role includes. */
function visitNamed(
  role: Principal,
  via: Principal | null,
  { request, resource }: ResolvedRequest,
  type: ResourceType,
  visitor: RuleVisitor<AccessPath>,
  every: boolean,
): void {
  if (role.grants === null) return;
  const path = new AccessPath(THROUGH_ROLE, role, null, null, null, via);
  visitRules(role.grants, path, type, resource, request.action.name, visitor, every);
}

function visitEach(
  principals: GrantsAndPaths,
  { request, resource }: ResolvedRequest,
  type: ResourceType,
  visitor: RuleVisitor<AccessPath>,
  every: boolean,
): void {
  for (let at = 0; at < principals.length; at += 2) {
    const [grants, path] = [principals[at] as Grants, principals[at + 1] as AccessPath];
    visitRules(grants, path, type, resource, request.action.name, visitor, every);
  }
}

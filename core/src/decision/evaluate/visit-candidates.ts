import { type Grants, visitRules } from '../grants/grants.js';
import type { ResourceType } from '../grants/target.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import { AccessPath, DIRECT } from '../graph/access-path.js';
import type { EffectivePrincipals, GrantsAndPaths } from '../graph/effective-principals.js';
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
  for (const path of roles.counted) {
    const { grants } = path.principal;
    if (grants !== null) visitRules(grants, path, type, resource, action, visitor, every);
  }
  if (resolved.where !== null) visitPlaces(resolved, effective, visitor, every);
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

import { type Grants, visitRules } from '../grants/grants.js';
import type { ResourceType } from '../grants/target.js';
import type { RuleVisitor } from '../grants/target-grants.js';
import { AccessPath, DIRECT } from '../graph/access-path.js';
import type { EffectivePrincipals, GrantsAndPaths } from '../graph/effective-principals.js';
import type { Principal } from '../graph/principal.js';
import type { ResolvedRequest } from './resolved-request.js';
import { visitPlaces } from './visit-places.js';

/**
 * Visits every rule that covers the request's action and resource, of a subject, of every principal that it acts as and of
 * roles that the request names. The subject is that of the request, or a nameless member of everyone.
 */
export function visitCandidates(
  resolved: ResolvedRequest,
  subject: Principal | undefined,
  effective: EffectivePrincipals | undefined,
  named: readonly AccessPath[],
  visitor: RuleVisitor<AccessPath>,
  every: boolean,
): void {
  const { request, type, resource } = resolved;
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
  for (const path of named) {
    const { grants } = path.principal;
    if (grants !== null) visitRules(grants, path, type, resource, action, visitor, every);
  }
  if (resolved.where !== null) visitPlaces(resolved, subject, effective, named, visitor, every);
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

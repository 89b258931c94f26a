import type { Cloud } from '../cloud.js';
import type { Route } from '../http/route.js';
import { accessReviewRoutes } from './access-reviews.js';
import { accessRuleViolationRoutes } from './access-rule-violations.js';
import { agentRoutes } from './agents.js';
import { auditRoutes } from './audit.js';
import { bundleRoutes } from './bundle.js';
import { bundleKeyRoutes } from './bundle-keys.js';
import { changesetRoutes } from './changesets.js';
import { comparisonRoutes } from './comparisons.js';
import { conditionWordRoutes } from './condition-words.js';
import { consoleLinkRoutes } from './console-links.js';
import { consoleOidcRoutes } from './console-oidc.js';
import { consoleSessionRoutes } from './console-session.js';
import { consoleSignInRoutes } from './console-sign-in.js';
import { decisionRoutes } from './decisions.js';
import { directoryRoutes } from './directories.js';
import { disabledCredentialRoutes } from './disabled-credentials.js';
import { draftPlanRoutes } from './draft-plans.js';
import { lintRoutes } from './lint.js';
import { oauthRoutes } from './oauth.js';
import { openapiRoute } from './openapi.js';
import { operationalRoutes } from './operational.js';
import { recordLinkRoutes } from './record-links.js';
import { recordOriginRoutes } from './record-origins.js';
import { recordSearchRoutes } from './record-search.js';
import { recordRoutes } from './records.js';
import { scimRoutes } from './scim.js';
import { signOffRoutes } from './sign-offs.js';
import { stateRoutes } from './state.js';
import { summaryRoutes } from './summary.js';
import { syncRoutes } from './sync.js';
import { tenantRoutes } from './tenants.js';
import { whoamiRoutes } from './whoami.js';
import { whyNotRoutes } from './why-not.js';

/** All routes, of which `mountedRoutes` makes more. The bundle comes before the policies, because it would match their item path. */
export function allRoutes(cloud: Cloud): Route[] {
  const routes = [
    ...decisionRoutes(cloud),
    ...bundleRoutes(cloud),
    ...changesetRoutes(cloud),
    ...stateRoutes(cloud),
    ...recordRoutes(cloud),
    ...directoryRoutes(cloud),
    ...scimRoutes(cloud),
    ...recordSearchRoutes(cloud),
    ...recordLinkRoutes(cloud),
    ...recordOriginRoutes(cloud),
    ...accessRuleViolationRoutes(cloud),
    ...auditRoutes(cloud),
    ...agentRoutes(cloud),
    ...syncRoutes(cloud),
    ...whoamiRoutes(cloud),
    ...tenantRoutes(cloud),
    ...disabledCredentialRoutes(cloud),
    ...consoleLinkRoutes(cloud),
    ...consoleSessionRoutes(cloud),
    ...consoleSignInRoutes(cloud),
    ...consoleOidcRoutes(cloud),
    ...draftPlanRoutes(cloud),
    ...whyNotRoutes(cloud),
    ...lintRoutes(cloud),
    ...comparisonRoutes(cloud),
    ...conditionWordRoutes(cloud),
    ...summaryRoutes(cloud),
    ...accessReviewRoutes(cloud),
    ...signOffRoutes(cloud),
    ...bundleKeyRoutes(cloud),
    ...oauthRoutes(cloud),
    ...operationalRoutes(cloud),
  ];
  return [...routes, openapiRoute(cloud, routes)];
}

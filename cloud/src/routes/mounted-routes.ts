import type { Route } from '../http/route.js';

/** Sessions make no links, which would outlive them, and browsers fetch no bundles. */
const OWN_TO_PROGRAMS = /^\/v1\/(console-links|policies\/bundle)$/;

/** The routes that need a credential, once more for sessions: `/v1/roles` is also at `/console/api/v1/roles`. */
export function mountedRoutes(routes: readonly Route[]): Route[] {
  return routes
    .filter(({ anyOf, by, path }) => anyOf !== undefined && by === undefined && !OWN_TO_PROGRAMS.test(path))
    .map((route) => ({ ...route, path: `/console/api${route.path}`, by: 'session' as const }));
}

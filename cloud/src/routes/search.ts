import { answerSearch } from '@authz-service/core/search/answer';
import { AUTHZEN_PATHS } from '@authz-service/core/wire/authzen-configuration';
import { searchRequestSchemas, searchResponseSchemas } from '@authz-service/core/wire/authzen-schema';
import { MIB } from '@authz-service/core/wire/body-bytes';
import { parseSearch, type SearchKind } from '@authz-service/core/wire/search-request';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { type Route, secured } from '../http/route.js';

const SUMMARIES: { [K in SearchKind]: string } = {
  subject: 'Find the subjects of a type that may do an action on a resource.',
  resource: 'Find the resources of a type on which a subject may do an action.',
  action: 'Find the actions that a subject may do on a resource.',
};

/** `POST /access/v1/search/…` (AuthZEN 1.0 section 8). */
export function searchRoutes(cloud: Cloud): Route[] {
  return (['subject', 'resource', 'action'] as const).map((kind) => searchRoute(cloud, kind));
}

function searchRoute(cloud: Cloud, kind: SearchKind): Route {
  return secured({
    method: 'POST',
    path: AUTHZEN_PATHS[kind],
    anyOf: ['decisions'],
    body: {
      limitBytes: MIB,
      schema: searchRequestSchemas[kind],
      parse: (value) => parseSearch(kind, value),
      wrongType: 'invalid_request',
    },
    operation: {
      id: `search${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`,
      summary: SUMMARIES[kind],
      tag: 'decisions',
      responses: {
        200: { description: 'A page of results, in the order of their names.', schema: searchResponseSchemas[kind] },
      },
      problems: ['ambiguous_name', 'invalid_cursor'],
    },
    handle: async ({ credential, body, now }) => {
      const moment = { now, clock: () => performance.now() };
      const tenant = await cloud.tenants.get(credential.tenant);
      const found = await tenant.reading(({ search, id, revision }) =>
        cloud.turns.run(answerSearch({ search, tenant: id, revision }, body, moment)),
      );
      return json(200, found);
    },
  });
}

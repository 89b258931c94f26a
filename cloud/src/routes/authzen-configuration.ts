import {
  AUTHZEN_PATHS,
  authzenConfiguration,
  CONFIGURATION_CACHE,
} from '@authz-service/core/wire/authzen-configuration';
import { authzenConfigurationSchema } from '@authz-service/core/wire/authzen-schema';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { open, type Route } from '../http/route.js';

/** What clients of AuthZEN 1.0 (section 9) discover the endpoints by. Its URLs never come from a request. */
export function authzenConfigurationRoute(cloud: Cloud): Route {
  return open({
    method: 'GET',
    path: AUTHZEN_PATHS.configuration,
    operation: {
      id: 'readAuthzenConfiguration',
      summary: 'Where the endpoints of AuthZEN 1.0 are.',
      tag: 'decisions',
      responses: { 200: { description: 'The metadata.', schema: authzenConfigurationSchema } },
    },
    handle: () => json(200, authzenConfiguration(cloud.publicUrl()), { 'cache-control': CONFIGURATION_CACHE }),
  });
}

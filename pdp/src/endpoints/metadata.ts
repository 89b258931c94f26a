import { AUTHZEN_PATHS } from '../contract/authzen-paths.js';
import { type AuthzenConfiguration, metadataSchema } from '../contract/metadata.js';
import type { Endpoint } from './endpoint.js';

/**
 * `GET /.well-known/authzen-configuration`: clients of AuthZEN 1.0 (section 9) find the endpoints with it. Its URLs
 * never come from a request.
 */
export const metadataEndpoint: Endpoint<undefined> = {
  method: 'GET',
  path: AUTHZEN_PATHS.configuration,
  operation: 'readAuthzenConfiguration',
  summary: 'The URLs of the AuthZEN 1.0 endpoints.',
  response: { description: 'The metadata.', schema: metadataSchema },
  problems: [],
  open: true,
  decides: false,
  cacheControl: 'public, max-age=300',
  parse: () => undefined,
  about: () => [],
  answer: (_, call) => metadataAt(call.publicUrl()),
};

function metadataAt(base: string): AuthzenConfiguration {
  return {
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}${AUTHZEN_PATHS.evaluation}`,
    access_evaluations_endpoint: `${base}${AUTHZEN_PATHS.evaluations}`,
    search_subject_endpoint: `${base}${AUTHZEN_PATHS.subject}`,
    search_resource_endpoint: `${base}${AUTHZEN_PATHS.resource}`,
    search_action_endpoint: `${base}${AUTHZEN_PATHS.action}`,
  };
}

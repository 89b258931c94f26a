/** Where the standard's endpoints are, below the address of the service; cloud and agent alike. */
export const AUTHZEN_PATHS = {
  evaluation: '/access/v1/evaluation',
  evaluations: '/access/v1/evaluations',
  subject: '/access/v1/search/subject',
  resource: '/access/v1/search/resource',
  action: '/access/v1/search/action',
  configuration: '/.well-known/authzen-configuration',
} as const;

/** How long the metadata may be kept, for `Cache-Control`. */
export const CONFIGURATION_CACHE = 'public, max-age=300';

/** The metadata of a decision point (AuthZEN 1.0 section 9.1). */
export interface AuthzenConfiguration {
  policy_decision_point: string;
  access_evaluation_endpoint: string;
  access_evaluations_endpoint: string;
  search_subject_endpoint: string;
  search_resource_endpoint: string;
  search_action_endpoint: string;
}

/** `base` is the address under which callers reach the service, without a slash at its end. */
export function authzenConfiguration(base: string): AuthzenConfiguration {
  return {
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}${AUTHZEN_PATHS.evaluation}`,
    access_evaluations_endpoint: `${base}${AUTHZEN_PATHS.evaluations}`,
    search_subject_endpoint: `${base}${AUTHZEN_PATHS.subject}`,
    search_resource_endpoint: `${base}${AUTHZEN_PATHS.resource}`,
    search_action_endpoint: `${base}${AUTHZEN_PATHS.action}`,
  };
}

import type { AUTHZEN_PATHS as CONTRACT } from '@authz-service/pdp/contract/authzen-paths';

/** Where the endpoints of AuthZEN 1.0 are, below the address of the service: the contract's, to the letter. */
export const AUTHZEN_PATHS: typeof CONTRACT = {
  evaluation: '/access/v1/evaluation',
  evaluations: '/access/v1/evaluations',
  subject: '/access/v1/search/subject',
  resource: '/access/v1/search/resource',
  action: '/access/v1/search/action',
  configuration: '/.well-known/authzen-configuration',
};

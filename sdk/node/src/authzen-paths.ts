/** The paths of AuthZEN 1.0's endpoints below the address of the service, unless its metadata says otherwise. */
export const AUTHZEN_PATHS = {
  evaluation: '/access/v1/evaluation',
  evaluations: '/access/v1/evaluations',
  subject: '/access/v1/search/subject',
  resource: '/access/v1/search/resource',
  action: '/access/v1/search/action',
  configuration: '/.well-known/authzen-configuration',
} as const;

import type { ProblemCode, ProblemError } from '@authz-service/core/problem';
import { type Diagnostic, type Path, Refusal } from '../framework/diagnostics.js';

/** The title of a refusal in Terraform, and the advice that goes beyond its detail. */
interface Shown {
  summary: string;
  remedy?: string;
}

const AGAIN = 'Run Terraform again.';
const OURS = 'Please report it with the log of TF_LOG_PROVIDER=DEBUG.';

/** Every problem code as Terraform shows it. */
const SHOWN: { readonly [C in ProblemCode]: Shown } = {
  access_rule_violated: { summary: 'Access rule violated' },
  ambiguous_name: { summary: 'Ambiguous name' },
  behind_revision: { summary: 'Service is behind', remedy: AGAIN },
  conflict: { summary: 'Conflict with existing records' },
  evaluation_failed: { summary: 'Decision could not be evaluated' },
  filter_too_large: { summary: 'Filter too large' },
  forbidden: { summary: 'Scope missing', remedy: 'Give the OAuth client of the provider this scope.' },
  idempotency_mismatch: { summary: 'Idempotency key used for two different changes', remedy: OURS },
  internal: { summary: 'Internal error of the service' },
  invalid_address: { summary: 'Invalid address' },
  invalid_bundle: { summary: 'Bundle cannot be used' },
  invalid_client: {
    summary: 'Client credentials refused',
    remedy: 'Check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, or client_id and client_secret in the provider block.',
  },
  invalid_config: { summary: 'Invalid configuration' },
  invalid_cursor: { summary: 'Listing cannot be continued', remedy: AGAIN },
  invalid_records: { summary: 'Invalid record' },
  invalid_request: { summary: 'Invalid request' },
  method_not_allowed: { summary: 'Method not offered', remedy: 'Check that cloud and provider have the same version.' },
  network: { summary: 'Service cannot be reached' },
  not_filterable: { summary: 'Not filterable' },
  not_found: { summary: 'Not found' },
  not_owner: { summary: 'Record of another stack' },
  not_ready: { summary: 'Service not ready', remedy: AGAIN },
  outside_history: { summary: 'History not kept' },
  outside_limits: { summary: 'Outside the limits of the client' },
  payload_too_large: { summary: 'Request too large', remedy: 'Split the configuration, or lower -parallelism.' },
  precondition_failed: { summary: 'Record has changed', remedy: AGAIN },
  stale_base: { summary: 'Records have changed', remedy: AGAIN },
  storage_failed: { summary: 'Change not stored' },
  timeout: { summary: 'Service did not answer', remedy: AGAIN },
  too_old: { summary: 'Agent cut off from its cloud', remedy: AGAIN },
  too_many_requests: { summary: 'Too many requests at once', remedy: AGAIN },
  unauthorized: {
    summary: 'Credential refused',
    remedy:
      'The client may have been deleted, or its secret changed: check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET.',
  },
  unknown_application: { summary: 'Application not held here', remedy: OURS },
  unknown_revision: { summary: 'No such revision' },
  unsupported_media_type: { summary: 'Content type not supported', remedy: OURS },
};

/** A problem as a diagnostic. The caller appends to the detail with `more`. */
export function diagnosticOfProblem(problem: ProblemError, path?: Path, more?: string): Diagnostic {
  const { summary, remedy } = SHOWN[problem.code];
  // The service words its remedies for the command line.
  const detail = problem.detail
    .replaceAll('--take-ownership', 'take_ownership = true in the provider block')
    .replace(/ exists already: .*$/s, ' exists already.');
  const trace =
    problem.requestId === undefined || problem.code !== 'internal' ? '' : `Request id: ${problem.requestId}.`;
  return {
    severity: 'error',
    summary,
    detail: [detail, more, remedy, trace].filter((text) => text !== undefined && text !== '').join(' '),
    ...(path === undefined ? {} : { path }),
  };
}

export function refusalOf(problem: ProblemError, path?: Path, more?: string): Refusal {
  return new Refusal([diagnosticOfProblem(problem, path, more)]);
}

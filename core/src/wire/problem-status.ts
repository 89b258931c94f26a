import type { ProblemCode } from '../problem.js';

/** The HTTP status of each problem, for cloud and agent alike (RFC 9457 section 3.1.2). */
export const PROBLEM_STATUS: { [C in ProblemCode]: number } = {
  ambiguous_name: 400,
  conflict: 409,
  evaluation_failed: 500,
  forbidden: 403,
  idempotency_mismatch: 422,
  internal: 500,
  invalid_address: 400,
  invalid_bundle: 502,
  invalid_client: 401,
  invalid_config: 500,
  invalid_cursor: 400,
  invalid_request: 400,
  invalid_records: 422,
  method_not_allowed: 405,
  network: 502,
  not_found: 404,
  not_owner: 409,
  not_ready: 503,
  payload_too_large: 413,
  precondition_failed: 412,
  stale_base: 409,
  timeout: 504,
  unauthorized: 401,
  unsupported_media_type: 415,
};

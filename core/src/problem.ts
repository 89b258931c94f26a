/**
 * Every way in which the product refuses, by a stable code. Each edge (HTTP, CLI, Terraform) keeps one exhaustive table
 * over these codes, so that a new one does not compile until every edge handles it.
 */
export const PROBLEMS = {
  access_rule_violated: 'An access rule forbids the change',
  ambiguous_name: 'The name fits more than one record',
  behind_revision: 'The revision is not served here yet',
  conflict: 'The change contradicts the present state',
  evaluation_failed: 'The decision could not be evaluated',
  filter_too_large: 'The filter would be too large',
  forbidden: 'The credential lacks a scope',
  idempotency_mismatch: 'The idempotency key was used for another request',
  internal: 'Internal error',
  invalid_address: 'The address is malformed',
  invalid_bundle: 'The bundle cannot be used',
  invalid_client: 'The client credentials were refused',
  invalid_config: 'The configuration is wrong',
  invalid_cursor: 'The cursor is not valid here',
  invalid_request: 'The request is malformed',
  invalid_records: 'The records are not valid',
  method_not_allowed: 'The method is not offered here',
  network: 'The service could not be reached',
  not_filterable: 'Columns cannot say the answer exactly',
  not_found: 'No such record or route',
  not_owner: 'Another stack owns the record',
  not_ready: 'The service cannot answer yet',
  outside_history: 'The history does not hold that state',
  outside_limits: 'The change is outside the limits of the credential',
  payload_too_large: 'The request body is too large',
  precondition_failed: 'The record has changed',
  stale_base: 'The tenant has moved to another revision',
  storage_failed: 'The change could not be stored',
  timeout: 'The service did not answer in time',
  too_old: 'What the agent knows is older than allowed',
  too_many_requests: 'Too many requests at once',
  unauthorized: 'A valid credential is required',
  unknown_application: 'Another decision point has the records of the application',
  unknown_revision: 'The tenant has no such revision',
  unsupported_media_type: 'The content type is not supported',
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** One fault inside a document: `pointer` is an RFC 6901 JSON pointer. */
export interface ProblemItem {
  pointer: string;
  detail: string;
  /** The address of the record at fault, where there is one. */
  address?: string;
}

/** The mark of an error that is a problem, of whatever package: the SDK stands alone, and brings a class of its own. */
const PROBLEM = Symbol.for('authz-service.problem');

/** A refusal whose detail names the value and the remedy, fit to be shown to the caller. */
export class ProblemError extends Error {
  /** Holds for every error that is marked as a problem. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && PROBLEM in value;
  }

  override readonly name = 'ProblemError';
  /** The id under which the service logged the request, where the refusal came over HTTP. */
  readonly requestId?: string;
  /** The earliest time, in seconds from now, at which the same request may succeed. */
  readonly retryAfterSeconds?: number;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly ProblemItem[] = [],
    options?: ErrorOptions & { requestId?: string; retryAfterSeconds?: number },
  ) {
    super(detail, options);
    if (options?.requestId !== undefined) this.requestId = options.requestId;
    if (options?.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get [PROBLEM](): true {
    return true;
  }

  get title(): string {
    return PROBLEMS[this.code];
  }
}

/**
 * Why a call failed, as a stable code: the service's own codes, and `not_evaluated` for questions after the end of a
 * batch.
 */
export const ERROR_TITLES = {
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
  not_evaluated: 'The batch ended before this question',
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

export type ErrorCode = keyof typeof ERROR_TITLES;

/** One fault inside what was sent: `pointer` is an RFC 6901 JSON pointer. */
export interface ErrorItem {
  pointer: string;
  detail: string;
  /** The address of the record at fault, where there is one. */
  address?: string;
}

export interface ServiceErrorOptions {
  cause?: unknown;
  requestId?: string | undefined;
  status?: number | undefined;
}

/** The question could not be decided, or the request could not be done: what went wrong, and where. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** The id under which the service logged the request. */
  readonly requestId?: string;
  /** The HTTP status of the answer, where there was one. */
  readonly status?: number;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly errors: readonly ErrorItem[] = [],
    { cause, requestId, status }: ServiceErrorOptions = {},
  ) {
    super(detail, cause === undefined ? undefined : { cause });
    if (requestId !== undefined) this.requestId = requestId;
    if (status !== undefined) this.status = status;
  }

  get title(): string {
    return ERROR_TITLES[this.code];
  }

  /**
   * The service's own programs recognize the error as a problem by this, since this package shares no class with them.
   */
  get [Symbol.for('authz-service.problem')](): true {
    return true;
  }
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_TITLES, value);
}

/** The code that an HTTP status stands for where nothing says it more exactly. */
export function codeOfStatus(status: unknown): ErrorCode {
  return (typeof status === 'number' && OF_STATUS[status]) || 'internal';
}

const OF_STATUS: Record<number, ErrorCode> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'invalid_request',
  429: 'too_many_requests',
  501: 'method_not_allowed',
  502: 'network',
  503: 'not_ready',
  504: 'timeout',
};

/** The error of one request of a batch that was split: its places count from the first question of the whole batch. */
export function inWholeBatch(error: ServiceError, first: number): ServiceError {
  if (first === 0) return error;
  const placed = (text: string) =>
    text.replaceAll(/\/evaluations\/(\d+)/g, (_, index: string) => `/evaluations/${Number(index) + first}`);
  const errors = error.errors.map((item) => ({ ...item, pointer: placed(item.pointer) }));
  return new ServiceError(error.code, placed(error.detail), errors, error);
}

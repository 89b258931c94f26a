import { ProblemError } from '@authz-service/core/problem';
import { problemDocument, shownProblem } from '@authz-service/pdp/transport/problem-document';
import * as z from 'zod';

export const SCIM_TYPE = 'application/scim+json';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

const SCIM_TYPES = ['invalidFilter', 'invalidPath', 'invalidSyntax', 'invalidValue', 'noTarget', 'uniqueness'] as const;

/** The sort of an error (RFC 7644 section 3.12). */
export type ScimType = (typeof SCIM_TYPES)[number];

const STATUS: { readonly [T in ScimType]: 400 | 409 } = {
  invalidFilter: 400,
  invalidPath: 400,
  invalidSyntax: 400,
  invalidValue: 400,
  noTarget: 400,
  uniqueness: 409,
};

/** A refusal that has a type of its own in SCIM. Elsewhere it is the problem that it extends. */
export class ScimError extends ProblemError {
  constructor(
    readonly scimType: ScimType,
    detail: string,
  ) {
    super(STATUS[scimType] === 409 ? 'conflict' : 'invalid_request', detail);
  }
}

/** Whether requests to the path are answered as SCIM has it, refusals too. */
export function isScimPath(path: string): boolean {
  return path === '/scim/v2' || path.startsWith('/scim/v2/');
}

export const scimErrorSchema = z.object({
  schemas: z.tuple([z.literal(ERROR_SCHEMA)]),
  status: z.string(),
  scimType: z.enum(SCIM_TYPES).optional(),
  detail: z.string(),
});

/** Any error as a SCIM client reads it. */
export function scimErrorDocument(error: unknown, requestId: string) {
  const problem = shownProblem(error);
  const { status } = problemDocument(problem, requestId);
  const [shown, scimType] = isScimError(error)
    ? ([STATUS[error.scimType], error.scimType] as const)
    : problem.code === 'invalid_records'
      ? ([400, 'invalidValue'] as const)
      : problem.code === 'not_owner'
        ? ([409, 'uniqueness'] as const)
        : problem.code === 'invalid_request'
          ? ([status, 'invalidSyntax'] as const)
          : ([status, undefined] as const);
  const document = {
    schemas: [ERROR_SCHEMA],
    status: String(shown),
    ...(scimType !== undefined && { scimType }),
    detail: problem.detail,
  };
  return { status: shown, document };
}

/** Every problem is an instance of every class of problems, so that only the type tells. */
function isScimError(error: unknown): error is ScimError {
  return error instanceof ProblemError && 'scimType' in error;
}

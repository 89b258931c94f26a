import type { ProblemCode, ProblemError, ProblemItem } from '../problem.js';
import { PROBLEM_STATUS } from './problem-status.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** A refusal as it goes over HTTP (RFC 9457), from cloud and agent alike. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  errors?: readonly ProblemItem[];
  request_id: string;
}

export function problemDocument({ code, title, detail, errors }: ProblemError, requestId: string): ProblemDocument {
  return {
    type: `urn:authz-service:problem:${code}`,
    title,
    status: PROBLEM_STATUS[code],
    detail,
    code,
    ...(errors.length > 0 && { errors }),
    request_id: requestId,
  };
}

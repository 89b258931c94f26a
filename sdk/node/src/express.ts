import type { DecisionPoint } from './decision-point.js';
import { type GuardOptions, type HttpRequest, type Mapper, PROBLEM_JSON, refusalOf } from './guard.js';

/** The type of a mapper's Express request, unless its parameter has another type. */
export interface ExpressRequest extends HttpRequest {
  readonly path: string;
  readonly originalUrl: string;
  get(name: string): string | undefined;
}

/** The part of an Express response, and of Node's own, that is used. */
interface Response {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/**
 * Middleware for Express and compatible frameworks. It lets an allowed request through, and otherwise answers 403,
 * 503 if the question could not be decided, 400 if it is malformed, or 404 if the mapper says `NOT_FOUND`. An error of the mapper goes to `next`.
 */
export function guard<R = ExpressRequest>(
  client: Pick<DecisionPoint, 'decide'>,
  mapper: Mapper<R>,
  options: GuardOptions<R> = {},
) {
  return async (request: R, response: Response, next: (error?: unknown) => void): Promise<void> => {
    try {
      const refusal = await refusalOf(client, request, mapper, options);
      if (refusal !== undefined) {
        response.statusCode = refusal.status;
        response.setHeader('content-type', PROBLEM_JSON);
        response.end(JSON.stringify(refusal));
        return;
      }
    } catch (error) {
      // Of the mapper, or of a response that something else has sent by now: Express 4 would let a rejection end the process.
      next(error ?? new Error('The mapper of a guard failed.'));
      return;
    }
    next();
  };
}

export { decisionOf, NOT_FOUND } from './guard.js';

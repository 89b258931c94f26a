import type { DecisionPoint } from './decision-point.js';
import { type GuardOptions, type HttpRequest, type Mapper, refusalOf } from './guard.js';

/** The part of Nest's execution context that is used. */
interface ExecutionContext {
  switchToHttp(): { getRequest<R>(): R };
}

/**
 * A guard for NestJS, for `@UseGuards(…)`. It returns false, which Nest answers with 403, if the request is not
 * allowed, and throws an error with the status 503 if the question could not be decided, 400 if it is malformed, or 404 if
 * the mapper says `NOT_FOUND`.
 */
export function guard<R = HttpRequest>(
  client: Pick<DecisionPoint, 'decide'>,
  mapper: Mapper<R>,
  options: GuardOptions<R> = {},
) {
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const refusal = await refusalOf(client, context.switchToHttp().getRequest<R>(), mapper, options);
      if (refusal === undefined) return true;
      if (refusal.status === 403) return false;
      throw Object.assign(new Error(refusal.title), { statusCode: refusal.status });
    },
  };
}

export { decisionOf, NOT_FOUND } from './guard.js';

import type { DecisionClient } from './decision-client.js';
import { type GuardOptions, type Mapper, refusalOf } from './guard.js';

/** The part of Nest's execution context that is used. */
interface ExecutionContext {
  switchToHttp(): { getRequest<R>(): R };
}

/**
 * A guard for NestJS, for `@UseGuards(…)`. It returns false, which Nest answers with 403, if the request is not
 * allowed, and throws an error with the status 503 if the question could not be decided.
 */
export function guard<R>(client: Pick<DecisionClient, 'decide'>, mapper: Mapper<R>, options: GuardOptions = {}) {
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const refusal = await refusalOf(client, context.switchToHttp().getRequest<R>(), mapper, options);
      if (refusal?.status === 503) throw Object.assign(new Error(refusal.title), { statusCode: 503 });
      return refusal === undefined;
    },
  };
}

import { isObject } from './decision.js';
import { ServiceError } from './service-error.js';
import type { CallOptions } from './transport.js';

export interface SearchOptions extends CallOptions {
  /** The most results that one page holds; the decision point's own limit unless given. */
  limit?: number | undefined;
  /** Is told of each page how many were left out because the question says too little, if the decision point says so. */
  onLeftOut?: ((leftOut: LeftOut) => void) | undefined;
}

/** The number of results that a page of a search left out, and the attributes that were missing: `context.mfa`. */
export interface LeftOut {
  count: number;
  absent: string[];
}

/** Walks the pages of a search. All are of one revision: when the tenant moves on meanwhile, `invalid_cursor`. */
export async function* everyResult<R>(
  ask: (body: unknown, options: CallOptions) => Promise<unknown>,
  question: object,
  { limit, onLeftOut, ...options }: SearchOptions = {},
): AsyncGenerator<R, void, undefined> {
  let token: string | undefined;
  do {
    const page = { ...(limit !== undefined && { limit }), ...(token !== undefined && { token }) };
    const answer = await ask(Object.keys(page).length > 0 ? { ...question, page } : question, options);
    if (!isObject(answer) || !Array.isArray(answer.results)) {
      throw new ServiceError('network', 'The search was answered without a list of results: that is not an answer.');
    }
    const said = isObject(answer.context) ? answer.context : {};
    if (typeof said.left_out === 'number') onLeftOut?.({ count: said.left_out, absent: textsOf(said.absent) });
    yield* answer.results as R[];
    const next = isObject(answer.page) ? answer.page.next_token : undefined;
    token = typeof next === 'string' && next !== '' ? next : undefined;
  } while (token !== undefined);
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

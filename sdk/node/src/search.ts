import type { SearchResponse } from '@authz-service/pdp/contract/search';
import type { Send } from './records.js';
import type { CallOptions } from './transport.js';

export interface SearchOptions extends CallOptions {
  /** The most results that one page holds; the service's own limit unless given. */
  limit?: number;
}

/** Walks the pages of a search. All are of one revision: when the tenant moves on meanwhile, `invalid_cursor`. */
export async function* everyResult<R>(
  send: Send,
  path: string,
  question: object,
  { limit, ...options }: SearchOptions = {},
): AsyncGenerator<R, void, undefined> {
  let token: string | undefined;
  do {
    const page = { ...(limit !== undefined && { limit }), ...(token !== undefined && { token }) };
    const body = Object.keys(page).length > 0 ? { ...question, page } : question;
    const answer = (await send({ method: 'POST', path, body, repeat: 'harmless' }, options)) as Pick<
      SearchResponse,
      'page'
    > & { results: R[] };
    yield* answer.results;
    token = answer.page?.next_token || undefined;
  } while (token !== undefined);
}

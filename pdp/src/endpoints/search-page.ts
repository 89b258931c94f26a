import { canonicalJson } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { decodeCursor, encodeCursor } from '@authz-service/core/values/cursor';
import {
  type FoundAction,
  type FoundEntity,
  type PageRequest,
  SEARCH_LIMIT_MAX,
  type SearchResponse,
} from '../contract/search.js';
import type { TenantView } from './endpoint.js';
import type { SearchRequest } from './search.js';

/** A page of the results of a search. */
type ResultPage = Pick<SearchResponse, 'page' | 'context'> & { results: (FoundEntity | FoundAction)[] };

/** The times of a search. */
export interface SearchMoment {
  /** Milliseconds since the epoch. */
  now: number;
  /** Returns monotonic milliseconds. */
  clock: () => number;
}

/** After this time, a page ends with the results so far, and the next one continues. */
const PAGE_MS_MAX = 5_000;
/**
 * If a change waits for the page, it ends after this time, counted from its first candidate. The following page is
 * refused in either case. With a shorter time, no search would end in a tenant that is often searched and changed.
 */
const PAGE_MS_BEFORE_CHANGE = 500;

const REFUSAL =
  'The page token does not belong to this request, or the tenant has changed since: ' + 'start again without a token.';

/**
 * Answers a search in short steps. Tokens contain the place, the limit and a hash of the request, the tenant and the
 * revision, so that all pages of one search show one state. Throws `ambiguous_name`, and `invalid_cursor` for any other
 * token.
 */
export function* searchPage(
  { search, id: tenant, revision }: Pick<TenantView, 'search' | 'id' | 'revision'>,
  { question, page: asked }: SearchRequest,
  { now, clock }: SearchMoment,
): Generator<undefined, ResultPage> {
  const list = [tenant, revision, canonicalJson(question)];
  const token = asked.token === '' ? undefined : asked.token;
  const { limit, after } = placeOf(list, { ...asked, token });
  const endsAt = clock() + PAGE_MS_MAX;
  let beganAt: number | undefined;
  const late = () => {
    const at = clock();
    beganAt ??= at;
    return search.shouldEnd() || at >= endsAt || (at - beganAt >= PAGE_MS_BEFORE_CHANGE && search.holdsUp);
  };
  const bounds = { after, limit: Math.min(limit ?? SEARCH_LIMIT_MAX, SEARCH_LIMIT_MAX), now, late };
  const { results, next, undecided } = yield* search.find(question, bounds);
  const context = undecided && { left_out: undecided.count, absent: undecided.absent };
  const more = context === undefined ? {} : { context };
  if (next === undefined && token === undefined && asked.limit === undefined) return { results, ...more };
  const nextToken = next === undefined ? '' : encodeCursor(list, `${limit ?? ''}:${next}`);
  return { page: { next_token: nextToken, count: results.length }, results, ...more };
}

/** Returns where the page begins. The limit of the first page also holds for later ones, whether they repeat it or not. */
function placeOf(list: readonly string[], { token, limit }: PageRequest): { limit?: number; after: string } {
  if (token === undefined) return limit === undefined ? { after: '' } : { limit, after: '' };
  const position = decodeCursor(list, token, REFUSAL);
  const colon = position.indexOf(':');
  const first = colon === 0 ? undefined : Number(position.slice(0, colon));
  if (limit !== undefined && limit !== first) {
    const before = first === undefined ? 'no limit' : `the limit ${first}`;
    throw new ProblemError(
      'invalid_cursor',
      `The page token was given for ${before}, but the request has ${limit}: keep the first limit.`,
    );
  }
  return { after: position.slice(colon + 1), ...(first !== undefined && { limit: first }) };
}

import { canonicalJson } from '../json.js';
import { ProblemError } from '../problem.js';
import { decodeCursor, encodeCursor } from '../wire/cursor.js';
import { SEARCH_LIMIT_MAX, type SearchRequest } from '../wire/search-request.js';
import type { SearchResponse } from '../wire/search-response.js';
import type { TenantSearch } from './tenant-search.js';

/** What is searched: one tenant at one revision. */
export interface Searched {
  search: TenantSearch;
  /** The id of the tenant. */
  tenant: string;
  revision: string;
}

/** When a search is made. */
export interface SearchMoment {
  /** Milliseconds since the epoch. */
  now: number;
  /** Gives monotonic milliseconds. */
  clock: () => number;
}

/** After so long a page ends with what it has, and the next one goes on. */
const PAGE_MS_MAX = 5_000;
/**
 * After so long, counted from its first candidate, it does so where a change waits for it. The page that would follow is
 * refused in either case. A shorter time would let no search end in a tenant that many search and change.
 */
const PAGE_MS_BEFORE_CHANGE = 500;

const REFUSAL =
  'The page token was not given for this request, or the tenant has moved to another revision: ' +
  'start again without a token.';

/**
 * Answers a search in short steps. Tokens hold the place, the limit and a hash over the request, the tenant and the
 * revision, so that the pages of one search are of one state. Throws `ambiguous_name`, and `invalid_cursor` for a token
 * of anything else.
 */
export function* answerSearch(
  { search, tenant, revision }: Searched,
  request: SearchRequest,
  { now, clock }: SearchMoment,
): Generator<undefined, SearchResponse> {
  const { page: asked, ...question } = request;
  const list = [tenant, revision, canonicalJson(question)];
  const { limit, after } = placeOf(list, asked);
  const endsAt = clock() + PAGE_MS_MAX;
  let beganAt: number | undefined;
  const late = () => {
    const at = clock();
    beganAt ??= at;
    return at >= endsAt || (at - beganAt >= PAGE_MS_BEFORE_CHANGE && search.holdsUp);
  };
  const bounds = { after, limit: Math.min(limit ?? SEARCH_LIMIT_MAX, SEARCH_LIMIT_MAX), now, late };
  const { results, next } = yield* search.find(request, bounds);
  if (next === undefined && asked.token === undefined && asked.limit === undefined) return { results };
  const token = next === undefined ? '' : encodeCursor(list, `${limit ?? ''}:${next}`);
  return { page: { next_token: token, count: results.length }, results };
}

/** Where the page begins. The limit of the first page holds for those after it, whether they repeat it or not. */
function placeOf(list: readonly string[], { token, limit }: SearchRequest['page']): { limit?: number; after: string } {
  if (token === undefined) return limit === undefined ? { after: '' } : { limit, after: '' };
  const position = decodeCursor(list, token, REFUSAL);
  const colon = position.indexOf(':');
  const first = colon === 0 ? undefined : Number(position.slice(0, colon));
  if (limit !== undefined && limit !== first) {
    const before = first === undefined ? 'no limit' : `the limit ${first}`;
    throw new ProblemError(
      'invalid_cursor',
      `The page token was given for ${before}, and the request says ${limit}: leave the limit as it was.`,
    );
  }
  return { after: position.slice(colon + 1), ...(first !== undefined && { limit: first }) };
}

import { decodeCursor, encodeCursor } from '@authz-service/core/cursor';
import { canonicalJson } from '@authz-service/core/json';
import { ProblemError } from '@authz-service/core/problem';
import {
  type FoundAction,
  type FoundEntity,
  type PageRequest,
  SEARCH_LIMIT_MAX,
  type SearchResponse,
} from '../contract/search.js';
import type { TenantView } from './endpoint.js';
import type { SearchRequest } from './search.js';

/** A page of whatever was searched for. */
type ResultPage = Pick<SearchResponse, 'page'> & { results: (FoundEntity | FoundAction)[] };

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
  const { results, next } = yield* search.find(question, bounds);
  if (next === undefined && token === undefined && asked.limit === undefined) return { results };
  const nextToken = next === undefined ? '' : encodeCursor(list, `${limit ?? ''}:${next}`);
  return { page: { next_token: nextToken, count: results.length }, results };
}

/** Where the page begins. The limit of the first page holds for those after it, whether they repeat it or not. */
function placeOf(list: readonly string[], { token, limit }: PageRequest): { limit?: number; after: string } {
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

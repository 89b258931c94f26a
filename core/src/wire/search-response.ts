/** What a search finds: a subject, a resource, or an action. */
export type FoundEntity = { type: string; id: string };
export type FoundAction = { name: string };

/** The body of an answered search (AuthZEN 1.0 section 8.3). `page` is there when it was asked for, or when there is more. */
export interface SearchResponse<R = FoundEntity | FoundAction> {
  page?: {
    /** Asks for the next page; empty after the last one. */
    next_token: string;
    /** The results on this page. */
    count: number;
  };
  results: R[];
}

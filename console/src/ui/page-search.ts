import { useSearch } from '@tanstack/react-router';

/** What the address of a page says: plain texts, so that a link can be read and written by hand. */
export type PageSearch = Record<string, string>;

export function usePageSearch(): PageSearch {
  return useSearch({ strict: false }) as PageSearch;
}

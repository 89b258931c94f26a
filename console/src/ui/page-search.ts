import { useSearch } from '@tanstack/react-router';

/** The address of a page: plain texts, so that a link can be read and written by hand. */
export type PageSearch = Record<string, string>;

export function usePageSearch(): PageSearch {
  return useSearch({ strict: false }) as PageSearch;
}

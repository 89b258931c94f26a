import type { OwnSession } from '@authz-service/sdk/console-client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from './client.js';

export const SESSION_KEY = ['session'] as const;

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async ({ signal, client: cache }) => {
    const session = await client.session({ signal });
    const before = cache.getQueryData<OwnSession>(SESSION_KEY);
    // Nothing that somebody else has seen in this tab is shown to the next person.
    if (before !== undefined && ownerOf(before) !== ownerOf(session)) {
      location.replace('/console/');
      return before;
    }
    return session;
  },
  staleTime: 60_000,
  // That nobody is signed in is an answer: it is not asked again whenever something looks at it.
  retryOnMount: false,
});

/** Who is signed in, and to which tenant. */
export function ownerOf({ tenant, person }: OwnSession): string {
  return `${tenant.id}/${person.id}`;
}

/** The session of a page that is shown only with one. */
export function useSession(): OwnSession {
  const { data } = useQuery(sessionQuery);
  if (data === undefined) throw new Error('the page needs a session');
  return data;
}

/** Whether the signed-in person has one of these scopes. */
export function useMay(...scopes: OwnSession['scopes']): boolean {
  const held = useSession().scopes;
  return scopes.some((scope) => held.includes(scope));
}

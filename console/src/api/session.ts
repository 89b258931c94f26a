import type { OwnSession } from '@authz-service/sdk/console-client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from './client.js';

export const SESSION_KEY = ['session'] as const;

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: ({ signal }) => client.session({ signal }),
  staleTime: 60_000,
  // That nobody is signed in is an answer: it is not asked again whenever something looks at it.
  retryOnMount: false,
});

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

import { ServiceError } from '@authz-service/sdk/service-error';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { SESSION_KEY } from './session.js';

/** Answers are kept for as long as a page is looked at. The typed client repeats what may be repeated. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => noteEnd(error, query.queryKey[0]) }),
  mutationCache: new MutationCache({ onError: (error) => noteEnd(error, undefined) }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

/** An answer that the session is not valid shows at once that it has ended, wherever it was asked. */
function noteEnd(error: Error, key: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'unauthorized' || key === SESSION_KEY[0]) return;
  void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}

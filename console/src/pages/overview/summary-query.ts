import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.js';

/** Numbers about the tenant. */
export const summaryQuery = queryOptions({
  queryKey: ['summary'],
  queryFn: ({ signal }) => client.summary({ signal }),
  staleTime: 60_000,
});

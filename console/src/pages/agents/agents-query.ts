import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.js';

/** The agents, as they report themselves. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => client.agents({ signal }),
  refetchInterval: 30_000,
});

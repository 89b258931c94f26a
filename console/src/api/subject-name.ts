import { useQuery } from '@tanstack/react-query';
import { client } from './client.js';

/** The name of a recorded subject, by its path; undefined until it is known, and where there is none. */
export function useSubjectName(path: string): string | undefined {
  const { data } = useQuery({ queryKey: ['subject-name', path], queryFn: ({ signal }) => named(path, signal) });
  return data ?? undefined;
}

/** Reads by a filter, which finds nothing where a removed subject is asked for. */
async function named(path: string, signal: AbortSignal): Promise<string | null> {
  const [type = '', id = ''] = path.split('/').map(decodeURIComponent);
  const { items } = await client.records('subject').page({ type, id }, { limit: 1, signal });
  return items[0]?.name ?? null;
}

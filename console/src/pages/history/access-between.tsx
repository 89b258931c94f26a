import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { compare } from '../../text/compare.js';
import { FindingsTable, type ShownDelta } from '../../ui/findings-table.js';
import { ProblemNote } from '../../ui/problem-note.js';

/** Reads the differences between two moments; without `after`, until now. The past stays as it is. */
export function useComparison(before: string, after: string | undefined) {
  return useQuery({
    queryKey: ['comparison', before, after],
    queryFn: ({ signal }) => client.compare(before, after, { signal }),
    enabled: before !== '',
    ...(after !== undefined && { staleTime: Number.POSITIVE_INFINITY }),
    refetchOnWindowFocus: false,
  });
}

/** Who gained and who lost access between two revisions. */
export function AccessBetween({ before, after }: { before: string; after: string }) {
  const { data, error, refetch } = useComparison(before, after);
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{compare.finding}</p>;
  return <FindingsTable delta={data.access as unknown as ShownDelta} all={data.finding_count} />;
}

import { useQuery } from '@tanstack/react-query';
import { client } from './client.js';

/** As many as the service takes at once. */
const BATCH_MAX = 100;

interface Waiting {
  condition: string;
  resolve: (words: string | null) => void;
  reject: (error: unknown) => void;
}

let waiting: Waiting[] = [];

/** The words of a condition; undefined until they are known, and where there are none. */
export function useConditionWords(condition: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['condition-words', condition],
    queryFn: () => conditionWords(condition),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? undefined;
}

/** The words of a condition, or null; all that are asked for at once go in one request. */
export function conditionWords(condition: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    waiting.push({ condition, resolve, reject });
    if (waiting.length === 1) setTimeout(askAll, 0);
  });
}

function askAll(): void {
  const all = waiting;
  waiting = [];
  for (let at = 0; at < all.length; at += BATCH_MAX) void ask(all.slice(at, at + BATCH_MAX));
}

async function ask(batch: readonly Waiting[]): Promise<void> {
  try {
    const words = await client.conditionWords(batch.map(({ condition }) => condition));
    for (const [at, { resolve }] of batch.entries()) resolve(words[at] ?? null);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

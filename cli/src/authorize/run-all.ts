import { ServiceError } from '@authz-service/sdk/service-error';

/** The outcome of one item of a batch. */
export type BatchOutcome<T> = { ok: true; value: T } | { ok: false; error: ServiceError };

/**
 * Runs `work` on all items, at most `concurrency` at a time, and yields the outcomes in the order of the items. A
 * problem of one item is that item's outcome; any other error, such as an abort, ends everything.
 */
export async function runAll<T, R>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<BatchOutcome<R>[]> {
  const outcomes: BatchOutcome<R>[] = [];
  const queue = [...items].entries();
  let stopped = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (stopped) return;
      try {
        outcomes[index] = { ok: true, value: await work(item) };
      } catch (error) {
        if (!(error instanceof ServiceError)) {
          stopped = true;
          throw error;
        }
        outcomes[index] = { ok: false, error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.trunc(concurrency)) }, worker));
  return outcomes;
}

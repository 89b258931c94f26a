import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest that requests wait for a piece of background work, as far as its steps are short. */
const SLICE_MS = 1;

/** Runs work that comes in short steps, and lets requests in between them. */
export async function interleave<T>(steps: Generator<undefined, T>): Promise<T> {
  let sliceStartedAt = performance.now();
  let step = steps.next();
  while (!step.done) {
    if (performance.now() - sliceStartedAt > SLICE_MS) {
      await nextTurn();
      sliceStartedAt = performance.now();
    }
    step = steps.next();
  }
  return step.value;
}

/** These steps, until the signal is aborted: then the next one throws its reason. */
export function* untilAborted<T>(steps: Generator<undefined, T>, signal: AbortSignal): Generator<undefined, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield;
    signal.throwIfAborted();
  }
}

/** Returns what comes of the work, or throws the signal's reason if it is aborted before. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abandon = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abandon = () => reject(signal.reason);
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

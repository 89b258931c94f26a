import { setMaxListeners } from 'node:events';

/** 128 + SIGINT, as in shells. */
export const INTERRUPTED_EXIT_CODE = 130;

/** Aborted by Ctrl-C. Commands pass the signal to everything that they wait for. */
export const interruption = new AbortController();

// Every request of a batch listens to it.
setMaxListeners(0, interruption.signal);

export function interrupt(): void {
  interruption.abort(new Error('Interrupted.'));
}

/** The first Ctrl-C asks the command to stop, the second one ends the process. */
export function watchInterrupts(): void {
  process.on('SIGINT', () => {
    if (interruption.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
    interrupt();
  });
}

/** Whether a command failed because it was told to stop. An error with such a name may say more. */
export function isInterruption(error: unknown): error is Error {
  const { signal } = interruption;
  if (!signal.aborted || !(error instanceof Error)) return false;
  return error === signal.reason || error.name === 'AbortError' || error.name === 'Interrupted';
}

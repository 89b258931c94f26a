/** The person's wish to stop, by Ctrl-C. Commands pass the signal on to whatever they wait for. */
export const interruption = new AbortController();

/** The first Ctrl-C asks the command to stop, the second one ends the process. 128 + SIGINT, as shells have it. */
export const INTERRUPTED_EXIT_CODE = 130;

export function watchInterrupts(): void {
  process.on('SIGINT', () => {
    if (interruption.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
    interruption.abort(new Error('Interrupted.'));
  });
}

/**
 * The command line, or a file that it names, is not what the command accepts. The message names the value and the
 * remedy.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /**
   * `subject` is the command or topic whose help shows the remedy, if no command was reached. `faults` are the faults
   * that the message counts.
   */
  constructor(
    message: string,
    readonly subject?: string,
    readonly faults: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The user was asked and did not confirm. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

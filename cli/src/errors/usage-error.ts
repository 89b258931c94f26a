/** The command line, or a file it names, is not what the command takes. The message names the value and the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** `subject`: the command or topic whose help shows the remedy, where no command was reached. */
  constructor(
    message: string,
    readonly subject?: string,
  ) {
    super(message);
  }
}

/** The person was asked and did not agree. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

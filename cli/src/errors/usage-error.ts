/** The command line, or a file it names, is not what the command takes. The message names the value and the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What failed is already printed as the command's own result: only the exit code is left to set. */
export class Reported extends Error {
  override readonly name = 'Reported';
}

/** Takes one line: a text, or fields with a text. */
type Write = (first: object | string, text?: string) => void;

/** A log for lines about the sync; a `pino` logger is one. */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/** A receiver of lines that says when it has them. */
export interface Target {
  /**
   * Resolves once the receiver has the lines. Throws `RefusedLines` if it will never take one of them, and anything else if it may
   * take them later.
   */
  send(lines: readonly string[], stop: AbortSignal): Promise<void>;
}

/** The receiver will not take one of these lines, however often they are sent. */
export class RefusedLines extends Error {}

/** The receiver wants to be left alone for a while. */
export class AskedToWait extends Error {
  constructor(
    message: string,
    readonly waitMs: number,
  ) {
    super(message);
  }
}

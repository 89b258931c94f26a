/** The connection ended before the answer did, so there is nobody left to answer. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

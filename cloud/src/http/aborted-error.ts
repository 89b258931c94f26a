/** The connection ended before the answer did: there is nobody left to answer. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

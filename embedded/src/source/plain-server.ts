/** The hint for an https address at which a server speaks plain HTTP. */
export const PLAIN_SERVER = 'the server there does not speak TLS: write http:// instead of https://';

/**
 * Whether a connection failed for that reason. Depending on how it was made, Node reports a code or only OpenSSL's
 * words.
 */
export function isPlainServer({ code, message }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || message.includes('wrong version number');
}

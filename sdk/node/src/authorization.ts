import { ServiceError } from './service-error.js';

/** The source of the `Authorization` header of requests. */
export interface Authorization {
  /**
   * `reused` says that the header was made for an earlier call, so that a 401 may only mean that it has expired. There
   * is no header if none is needed.
   */
  get(signal: AbortSignal): Promise<{ header: string | undefined; reused: boolean }>;
  /** Forgets a header that the service refused, unless a newer one has taken its place. */
  discard(header: string | undefined): void;
  /** The secrets that no error text may contain. */
  secrets(): string[];
}

/** An API key as a bearer token. Throws `invalid_config` for a key that no header can carry. */
export function apiKeyAuthorization(apiKey: string): Authorization {
  const header = bearer(apiKey, 'The API key');
  return {
    get: async () => ({ header, reused: false }),
    discard: () => {},
    secrets: () => [apiKey],
  };
}

/** The header of a bearer token (RFC 6750 section 2.1); `what` names the token in the error, which never shows it. */
export function bearer(token: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return `Bearer ${token}`;
  throw new ServiceError(
    'invalid_config',
    `${what} is ${token === '' ? 'empty' : 'malformed: it holds white space or characters beyond ASCII'}.`,
  );
}

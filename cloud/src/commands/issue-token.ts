import { offText } from '../auth/authenticate.js';
import type { Attempt } from '../auth/client-secrets.js';
import { type Grant, holds } from '../auth/credential.js';
import { formerOf, generationOf } from '../auth/credential-index.js';
import { TOKEN_SECONDS } from '../auth/tokens.js';
import type { Cloud } from '../cloud.js';

/** Errors of RFC 6749 section 5.2. */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  constructor(
    readonly error: 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type',
    readonly description: string,
  ) {
    super(description);
  }
}

export interface TokenRequest {
  clientId: string;
  /** More than one if the same header can be read in two ways. */
  clientSecrets: string[];
  /** Separated by spaces; if absent, all scopes of the client. */
  scope?: string;
}

export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  /** In seconds. */
  expires_in: number;
  scope: string;
}

/**
 * An access token for client credentials (RFC 6749 section 4.4). Throws `TokenError`, and as `ClientSecrets.verify`
 * does.
 */
export async function issueToken(
  cloud: Cloud,
  request: TokenRequest,
  caller: Omit<Attempt, 'clientId'>,
): Promise<TokenAnswer> {
  const { clientId, clientSecrets } = request;
  const known = cloud.credentials.client(clientId);
  const former = known && formerOf(known, cloud.now());
  const hashes = known ? [known.hash, ...(former ? [former.hash] : [])] : [];
  const right = await cloud.clientSecrets.verify(clientSecrets, hashes, { ...caller, clientId });
  // Looked up again: the client may have been deleted, or its secret replaced, while this one was checked.
  const client = cloud.credentials.client(clientId);
  const isHeld = client?.hash === right || (client && formerOf(client, cloud.now())?.hash === right);
  // A client that names a person is the person's, and no program's.
  if (right === undefined || client === undefined || client.person !== undefined || !isHeld) {
    throw new TokenError('invalid_client', 'The client id is unknown, or the secret is wrong.');
  }
  if (client.offSince !== undefined) throw new TokenError('invalid_client', offText(client.offSince));
  const wanted = request.scope?.split(' ').filter((scope) => scope !== '') ?? [];
  const missing = wanted.find((scope) => !holds(client, scope as Grant));
  if (missing !== undefined) {
    throw new TokenError(
      'invalid_scope',
      `The client "${client.name}" does not have the scope "${printable(missing)}": it has ${[...client.grants].join(', ')}.`,
    );
  }
  const grants = wanted.length > 0 ? ([...new Set(wanted)] as Grant[]) : [...client.grants];
  const { tenant } = client;
  const generation = generationOf(right);
  cloud.credentialUses.note(client);
  const token = await cloud.tokens.issue(cloud.publicUrl(), { clientId, tenant, grants, generation });
  return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope: grants.join(' ') };
}

/** RFC 6749 allows only printable ASCII in a description, without quotes and backslashes. */
function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
}

import { ProblemError } from '@authz-service/core/problem';
import { type Credential, holds } from './credential.js';
import { type CredentialIndex, formerOf, generationOf, type KnownCredential } from './credential-index.js';
import { API_KEY_PREFIX, hashApiKey } from './secrets.js';
import type { TokenClaims, Tokens } from './tokens.js';

const BEARER = /^Bearer +([^\s]+) *$/i;

/**
 * The credential behind this `Authorization` header. Throws `unauthorized`, which says that a credential is missing or
 * was refused, but never which part of it was wrong.
 */
export async function authenticate(
  header: string | undefined,
  known: { credentials: CredentialIndex; tokens: Tokens; now(): number },
): Promise<Credential> {
  if (header === undefined) {
    throw new ProblemError(
      'unauthorized',
      'No credential was sent: send "Authorization: Bearer" with an API key or an access token.',
    );
  }
  const [, bearer] = BEARER.exec(header) ?? [];
  const credential = bearer === undefined ? undefined : await credentialOf(bearer, known);
  if (credential === undefined) {
    throw new ProblemError(
      'unauthorized',
      'The credential was refused: send "Authorization: Bearer" with a valid API key or a fresh access token.',
    );
  }
  return credential;
}

function expired(since: string): ProblemError {
  return new ProblemError(
    'unauthorized',
    `The API key has expired (${since}): use its new secret if it was rotated, or another key, or give it a later end.`,
  );
}

/** Who has the right secret may know why it does not help. */
function refuseOff({ offSince }: KnownCredential): void {
  if (offSince !== undefined) throw new ProblemError('unauthorized', offText(offSince));
}

export function offText(offSince: string): string {
  return `The credential is off since ${offSince}, when the database was restored from a backup: an operator turns it on with servicectl credentials enable.`;
}

/** Whether the client still has the secret for which a token was issued. */
function isStillValid(client: KnownCredential, { generation }: TokenClaims, now: number): boolean {
  if (client.generation === generation) return true;
  const former = formerOf(client, now);
  return former !== undefined && generationOf(former.hash) === generation;
}

async function credentialOf(
  bearer: string,
  { credentials, tokens, now }: { credentials: CredentialIndex; tokens: Tokens; now(): number },
): Promise<Credential | undefined> {
  if (bearer.startsWith(API_KEY_PREFIX)) {
    // The key is looked up by its hash: comparing hashes reveals nothing about a key with 256 random bits.
    const hash = hashApiKey(bearer);
    const key = credentials.apiKey(hash);
    if (key === undefined) return undefined;
    // Who has the right secret may know why it does not help.
    if (key.expiresAt <= now()) throw expired(new Date(key.expiresAt).toISOString());
    if (key.hash !== hash && formerOf(key, now()) === undefined) throw expired(key.former?.until ?? '');
    refuseOff(key);
    return key;
  }
  const claims = await tokens.verify(bearer);
  const client = claims && credentials.client(claims.clientId);
  if (!claims || client?.tenant !== claims.tenant || !isStillValid(client, claims, now())) return undefined;
  // A client that names a person is the person's, and no program's; the token was issued before.
  if (client.person !== undefined) return undefined;
  // A token with more scopes than its client now has is refused as a whole: it was issued before the client was
  // narrowed.
  if (!claims.grants.every((grant) => holds(client, grant))) return undefined;
  refuseOff(client);
  const { kind, id, name, tenant, generation, limits } = client;
  const narrowed = [...client.grants].some((grant) => !claims.grants.includes(grant));
  const { grants, expiresAt } = claims;
  return {
    kind,
    id,
    name,
    tenant,
    grants: new Set(grants),
    generation,
    expiresAt,
    ...(limits && { limits }),
    narrowed,
  };
}

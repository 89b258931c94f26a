import type { Credential } from '../auth/credential.js';
import type { CredentialIndex } from '../auth/credential-index.js';
import type { Sessions } from './sessions.js';

/**
 * For work that begins some time after its credential was verified: throws `unauthorized` if it has meanwhile been
 * removed or changed, or its session has ended. Returns it as it is now.
 */
export async function assertStillValid(
  { credentials, sessions }: { credentials: CredentialIndex; sessions: Sessions },
  credential: Credential,
  now: number,
): Promise<Pick<Credential, 'limits' | 'directory'>> {
  if (credential.session === undefined) return credentials.assertStillValid(credential, now);
  return await sessions.assertStillValid(credential, credential.session, now);
}

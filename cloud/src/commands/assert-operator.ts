import { ProblemError } from '@authz-service/core/problem';
import type { Credential } from '../auth/credential.js';
import type { CredentialIndex } from '../auth/credential-index.js';

/**
 * Throws `unauthorized` unless who asks still is an operator by these credentials, which are those of all operators as
 * stored. A person is one by the client that names them; the session was found to be in force when the request came.
 */
export function assertOperator(operators: CredentialIndex, credential: Credential, now: number): void {
  if (credential.kind !== 'person') {
    operators.assertStillValid(credential, now);
    return;
  }
  const [client, ...others] = operators.ofPerson(credential.tenant, credential.id);
  if (client?.operator === true && client.limits === undefined && others.length === 0) return;
  throw new ProblemError(
    'unauthorized',
    'The session was refused: the client that names you was changed or removed while the request was under way.',
  );
}

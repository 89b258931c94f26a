import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { ProblemError } from '@authz-service/core/problem';
import { splitAddress } from '@authz-service/core/records/address';
import { chosenSecretFault } from '@authz-service/core/records/chosen-secret';
import type { Change } from '@authz-service/core/state/change';
import { type Credential, demand } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { choosesSecret } from './mint-secrets.js';

/** Each takes a processor some 50 ms. */
const CHOSEN_MAX = 100;

/**
 * The hashes of the client secrets that the changes choose. They are computed before the commit's turn, so that other
 * commits of the tenant need not wait. Throws `forbidden`, `invalid_request` if there are too many, and as
 * `ClientSecrets.hashChosen` does. Malformed secrets are left for the commit to refuse.
 */
export async function hashChosenSecrets(
  cloud: Pick<Cloud, 'clientSecrets'>,
  { changes, credential, signal }: { changes: readonly Change[]; credential: Credential; signal: AbortSignal },
): Promise<Map<Change, string>> {
  const hashes = new Map<Change, string>();
  const chosen = [...changes.entries()].flatMap(([index, change]) => {
    if (!choosesSecret(change)) return [];
    const kind = change.op === 'create' ? change.kind : splitAddress(change.address).kind;
    const usable = kind === 'oauth_client' && chosenSecretFault(kind, change.secret) === undefined;
    return usable ? [{ index, change }] : [];
  });
  if (chosen.length === 0) return hashes;
  demand(credential, ['credentials']);
  const excess = chosen[CHOSEN_MAX];
  if (excess) {
    const pointer = jsonPointer('changes', excess.index, 'secret');
    const detail = `is one of ${chosen.length} client secrets: choose at most ${CHOSEN_MAX} in a change-set`;
    throw new ProblemError('invalid_request', `The body is malformed: ${pointer}: ${detail}`, [{ pointer, detail }]);
  }
  for (const { change } of chosen) {
    hashes.set(change, await cloud.clientSecrets.hashChosen(change.secret, credential.tenant, signal));
  }
  return hashes;
}

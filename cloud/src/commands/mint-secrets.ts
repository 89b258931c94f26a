import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change, Staged } from '@authz-service/core/state/change';
import { hashApiKey, hashClientSecret, newApiKey, newClientSecret } from '../auth/secrets.js';
import type { NewSecret } from '../store/store.js';

/** The secret of a credential just made: the only time that it is known. */
export type MadeSecret = { address: string; id: string } & (
  | { secret: string }
  | { client_id: string; client_secret: string }
);

export interface MintOrder {
  changes: readonly Change[];
  /** Makes the credentials that are created operators. */
  operator?: boolean;
  /** In place of made ones: how a first administrator is given. */
  given?: { clientId: string; secret: string };
  /** The credentials there are; without them none can get another secret. */
  held?: {
    of(record: StoredRecord): { operator: boolean } | undefined;
    apiKey(hash: string): { id: string } | undefined;
  };
}

/** The addresses of the records to which the changes give a secret of the caller's choosing. */
export function chosenSecrets(changes: readonly Change[], { created }: Staged): Map<string, string> {
  const chosen = new Map<string, string>();
  const addresses = created.values();
  for (const change of changes) {
    if (change.op !== 'create' && change.op !== 'update') continue;
    const address = change.op === 'create' ? addresses.next().value : change.address;
    if (address !== undefined && change.secret !== undefined) chosen.set(address, change.secret);
  }
  return chosen;
}

/**
 * The secrets of new credentials, made here or chosen by the caller, and those that replace former ones. Only made ones
 * are shown. Throws `conflict` where an API key is in use already.
 */
export async function mintSecrets(
  staged: Staged,
  order: MintOrder,
): Promise<{ stored: NewSecret[]; shown: MadeSecret[] }> {
  const chosen = chosenSecrets(order.changes, staged);
  const stored: NewSecret[] = [];
  const shown: MadeSecret[] = [];
  const keys = new Set<string>();
  for (const { record, previous } of staged.put) {
    const { kind, address, id } = record;
    const own = chosen.get(address);
    if ((kind !== 'api_key' && kind !== 'oauth_client') || (previous !== undefined && own === undefined)) continue;
    const operator = previous === undefined ? (order.operator ?? false) : (order.held?.of(record)?.operator ?? false);
    if (kind === 'api_key') {
      const secret = own ?? newApiKey();
      const hash = hashApiKey(secret);
      const holder = order.held?.apiKey(hash);
      if (keys.has(hash) || (holder !== undefined && holder.id !== id)) throw taken(address);
      keys.add(hash);
      stored.push({ kind, id, hash, operator });
      if (own === undefined) shown.push({ address, id, secret });
    } else {
      const secret = own ?? order.given?.secret ?? newClientSecret();
      stored.push({ kind, id, hash: await hashClientSecret(secret), operator });
      if (own === undefined) shown.push({ address, id, client_id: id, client_secret: secret });
    }
  }
  return { stored, shown };
}

function taken(address: string): ProblemError {
  return new ProblemError('conflict', `The secret chosen for "${address}" is in use already: choose another one.`);
}

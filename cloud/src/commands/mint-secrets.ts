import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change, Staged } from '@authz-service/core/state/change';
import { hashApiKey, hashGeneratedSecret, hashOfNoSecret, newApiKey, newClientSecret } from '../auth/secrets.js';
import type { NewSecret } from '../store/store.js';

/** The secret of a new credential; it is known only now. */
export type MadeSecret = { address: string; id: string } & (
  | { secret: string }
  | { client_id: string; client_secret: string }
);

/** A client whose id and secret are given: the first administrator can be configured like this. */
export interface GivenClient {
  clientId: string;
  secret: string;
  /** The hash to store for the secret. */
  hash: string;
}

export interface MintOrder {
  changes: readonly Change[];
  /** The hashes of the client secrets that the changes choose: see `hashChosenSecrets`. */
  hashes?: ReadonlyMap<Change, string>;
  /** Until when the secrets that are replaced stay good (RFC 3339); unless given, they end at once. */
  formerUntil?: string;
  /** Makes the created credentials operators. */
  operator?: boolean;
  /** Used instead of generated ones. */
  given?: GivenClient;
  /** The existing credentials; without them no existing credential can get another secret. */
  held?: {
    of(record: StoredRecord): { operator: boolean; hash: string; offSince?: string } | undefined;
    apiKey(hash: string): { id: string } | undefined;
  };
}

/** A change that gives a record a secret chosen by the caller. */
export type SecretChange = Extract<Change, { op: 'create' | 'update' }> & { secret: string };

export function choosesSecret(change: Change): change is SecretChange {
  return 'secret' in change && change.secret !== undefined;
}

/** The changes that give a record a chosen secret, by its address. */
export function chosenSecrets(changes: readonly Change[], { created }: Staged): Map<string, SecretChange> {
  const chosen = new Map<string, SecretChange>();
  const addresses = created.values();
  for (const change of changes) {
    if (change.op !== 'create' && change.op !== 'update') continue;
    const address = change.op === 'create' ? addresses.next().value : change.address;
    if (address !== undefined && choosesSecret(change)) chosen.set(address, change);
  }
  return chosen;
}

/**
 * The secrets of new credentials, generated or chosen by the caller, and those that replace former ones. Only generated
 * ones are shown. A client that names a person gets none: it is for signing in alone. Throws `conflict` if an API key is in use
 * already, and `invalid_records` if a secret is chosen for such a client.
 */
export function mintSecrets(staged: Staged, order: MintOrder): { stored: NewSecret[]; shown: MadeSecret[] } {
  const chosen = chosenSecrets(order.changes, staged);
  const stored: NewSecret[] = [];
  const shown: MadeSecret[] = [];
  const keys = new Set<string>();
  for (const { record, previous } of staged.put) {
    const { kind, address, id } = record;
    const own = chosen.get(address);
    if ((kind !== 'api_key' && kind !== 'oauth_client') || (previous !== undefined && own === undefined)) continue;
    const before = previous && order.held?.of(record);
    const operator = previous === undefined ? (order.operator ?? false) : (before?.operator ?? false);
    // What is off since a restore may be what was revoked.
    const isKept = order.formerUntil !== undefined && before !== undefined && before.offSince === undefined;
    const former = isKept && { former: { hash: before.hash, until: order.formerUntil as string } };
    if (kind === 'api_key') {
      const secret = own?.secret ?? newApiKey();
      const hash = hashApiKey(secret);
      const holder = order.held?.apiKey(hash);
      if (keys.has(hash) || (holder !== undefined && holder.id !== id)) throw taken(address);
      keys.add(hash);
      stored.push({ kind, id, hash, operator, ...former });
      if (own === undefined) shown.push({ address, id, secret });
    } else if (isOfPerson(record)) {
      if (own !== undefined) throw needless(order.changes.indexOf(own), address);
      stored.push({ kind, id, hash: hashOfNoSecret(), operator });
    } else {
      const { secret, hash } = own ? { secret: undefined, hash: order.hashes?.get(own) } : clientSecretOf(order);
      if (hash === undefined) throw new Error(`the secret chosen for ${address} was not hashed`);
      stored.push({ kind, id, hash, operator, ...former });
      if (secret !== undefined) shown.push({ address, id, client_id: id, client_secret: secret });
    }
  }
  return { stored, shown };
}

function clientSecretOf({ given }: MintOrder): { secret: string; hash: string } {
  if (given) return given;
  const secret = newClientSecret();
  return { secret, hash: hashGeneratedSecret(secret) };
}

function isOfPerson(record: StoredRecord): boolean {
  return record.kind === 'oauth_client' && record.fields.person !== undefined;
}

function needless(index: number, address: string): ProblemError {
  const detail = `The client "${address}" names a person, who signs in to the console with it: it has no secret, so leave it out.`;
  return new ProblemError('invalid_records', detail, [{ pointer: jsonPointer('changes', index, 'secret'), detail }]);
}

function taken(address: string): ProblemError {
  return new ProblemError('conflict', `The secret chosen for "${address}" is in use already: choose another one.`);
}

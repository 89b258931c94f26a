import { randomBytes } from 'node:crypto';
import { declareEpoch, type Epoch, type EpochSigner, isSameKey, readEpoch } from '@authz-service/core/bundle/epoch';
import { ProblemError } from '@authz-service/core/problem';
import type { Store } from '../store/store.js';

/** The newest epoch that was declared in this database; undefined if none was. Throws if its statement is not signed. */
export async function newestEpoch(store: Pick<Store, 'epochs'>): Promise<Epoch | undefined> {
  const row = (await store.epochs()).at(-1);
  if (row === undefined) return undefined;
  const epoch = await readEpoch(row.statement);
  if (epoch?.number !== row.number || epoch.id !== row.id) throw new Error('the statement of the epoch is not signed');
  return epoch;
}

/**
 * Declares the next epoch. Agents know the key by which the one before was signed: another one needs `replaceKey`, or this
 * throws `invalid_config`.
 */
export async function declareNext(
  store: Pick<Store, 'epochs' | 'addEpoch'>,
  signer: EpochSigner,
  { now, replaceKey = false }: { now: number; replaceKey?: boolean },
): Promise<Epoch> {
  const before = await newestEpoch(store);
  if (before && !replaceKey && !isSameKey(before.key, signer.publicKey)) {
    throw new ProblemError(
      'invalid_config',
      `The epoch key is ${signer.kid}, but the last epoch was signed by ${before.key.kid}, and agents that know that one follow no other: give that key.`,
    );
  }
  const declaredAt = new Date(now).toISOString();
  // Numbers come from the clock, since a backup does not know which ones were given after it was made.
  const number = Math.max((before?.number ?? 0) + 1, Math.floor(now / 1000));
  const epoch = await declareEpoch({ number, id: randomBytes(4).toString('hex'), declaredAt }, signer);
  await store.addEpoch({ number, id: epoch.id, statement: epoch.jws, created_at: declaredAt });
  return epoch;
}

import { type EpochSigner, epochName } from '@authz-service/core/bundle/epoch';
import { declareNext } from '../bundles/epochs.js';
import { SILENCE_MARGIN_MS } from '../fleet/fleet.js';
import type { Store } from '../store/store.js';
import { inStore, type Place } from './declare-epoch.js';
import { readEpochKeyFile } from './epoch-key-file.js';

/**
 * After a database was set back: ends all sessions, lets every agent count as one that may decide, turns off every credential but
 * the operators', and declares a new epoch if the file of an epoch key is given. A cloud may run on PostgreSQL meanwhile, and follows.
 */
export async function disableCredentials(
  place: Place,
  { now, epochKeyFile }: { now: number; epochKeyFile?: string | undefined },
): Promise<SetBack> {
  const signer = epochKeyFile === undefined ? undefined : await readEpochKeyFile(epochKeyFile, place);
  return await inStore(place, (store) => setBack(store, now, signer));
}

export interface SetBack {
  /** How many credentials were on. */
  disabled: number;
  /** The name of the new epoch; absent if none was declared. */
  epoch?: string;
}

/** The same in an open store. */
export async function setBack(
  store: Pick<Store, 'endAllSessions' | 'distrustAgents' | 'disableCredentials' | 'epochs' | 'addEpoch'>,
  now: number,
  signer: EpochSigner | undefined,
): Promise<SetBack> {
  // Who was signed in then is not signed in now.
  await store.endAllSessions();
  // What agents have told since is lost.
  await store.distrustAgents({ now, marginMs: SILENCE_MARGIN_MS });
  const disabled = await store.disableCredentials({
    at: new Date(now).toISOString(),
    request_id: 'restore',
    credential: { kind: 'bootstrap', id: 'restore', name: 'restore' },
  });
  return { disabled, ...(signer && { epoch: epochName(await declareNext(store, signer, { now })) }) };
}

import { type EpochSigner, epochName } from '@authz-service/core/bundle/epoch';
import { endTokens } from '../auth/tokens.js';
import { declareNext } from '../bundles/epochs.js';
import { SILENCE_MARGIN_MS } from '../fleet/fleet.js';
import { type GoodCredentials, goodCredentials, type LogFiles } from '../revocations/good-credentials.js';
import type { Store } from '../store/store.js';
import type { StoreOfAll } from '../store/store-of-all.js';
import { type DatabaseLocation, inStore } from './declare-epoch.js';
import { readEpochKeyFile } from './epoch-key-file.js';

/**
 * After a database was set back: ends all sessions and access tokens, lets every agent count as one that may decide, turns off every credential but
 * the operators', and declares a new epoch if the file of an epoch key is given. A cloud may run on PostgreSQL meanwhile, and follows.
 */
export async function disableCredentials(
  place: DatabaseLocation,
  { now, epochKeyFile, logFiles }: { now: number } & SetBackFiles,
): Promise<SetBack> {
  const signer = epochKeyFile === undefined ? undefined : await readEpochKeyFile(epochKeyFile, place);
  return await inStore(place, async (store) =>
    setBack(store, now, signer, logFiles && (await goodCredentials(store, logFiles))),
  );
}

/** Files that are kept apart from the database. */
export interface SetBackFiles {
  epochKeyFile?: string | undefined;
  logFiles?: LogFiles | undefined;
}

export interface SetBack {
  /** How many credentials were on, and were turned off. */
  disabled: number;
  /** How many of all were turned on, since the log says that they were good. */
  enabled?: number;
  /** Until when the log tells (RFC 3339). */
  log_ends_at?: string;
  /** The name of the new epoch; absent if none was declared. */
  epoch?: string;
}

/** The same in an open store: all of it or nothing. */
export async function setBack(
  { atOnce }: Pick<Store, 'atOnce'>,
  now: number,
  signer: EpochSigner | undefined,
  known?: GoodCredentials,
): Promise<SetBack> {
  return await atOnce((store) => setBackIn(store, now, signer, known));
}

async function setBackIn(
  store: StoreOfAll,
  now: number,
  signer: EpochSigner | undefined,
  known: GoodCredentials | undefined,
): Promise<SetBack> {
  // Who was signed in then is not signed in now, and what signed their tokens may be in other hands.
  await store.endAllSessions();
  await endTokens(store, now);
  // What agents have told since is lost.
  await store.distrustAgents({ now, marginMs: SILENCE_MARGIN_MS });
  const by = {
    at: new Date(now).toISOString(),
    request_id: 'restore',
    credential: { kind: 'bootstrap', id: 'restore', name: 'restore' },
  } as const;
  // Without a log somebody has to be left who turns on the others.
  const disabled = await store.disableCredentials(by, { operators: known !== undefined });
  let enabled = 0;
  for (const { tenant, addresses } of known?.good ?? [])
    enabled += (await store.enableCredentials(tenant, addresses, by)).length;
  const told = known && { enabled, log_ends_at: known.logEndsAt };
  return { disabled, ...told, ...(signer && { epoch: epochName(await declareNext(store, signer, { now })) }) };
}

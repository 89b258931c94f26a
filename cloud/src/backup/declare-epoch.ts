import { epochName } from '@authz-service/core/bundle/epoch';
import { declareNext } from '../bundles/epochs.js';
import type { PostgresPlace } from '../store/postgres/postgres.js';
import { openPostgresStore } from '../store/postgres/postgres.js';
import { openSqliteStore } from '../store/sqlite.js';
import type { Store } from '../store/store.js';
import { readEpochKeyFile } from './epoch-key-file.js';

export type DatabaseLocation = { postgres: PostgresPlace } | { dataDir: string };

/** Opens the database for one piece of work. */
export async function inStore<T>(place: DatabaseLocation, work: (store: Store) => Promise<T>): Promise<T> {
  const store = 'postgres' in place ? await openPostgresStore(place.postgres) : await openSqliteStore(place.dataDir);
  return await work(store).finally(() => store.close());
}

/** Declares the next epoch; running replicas on PostgreSQL follow. Returns its name. Throws `invalid_config`. */
export async function declareEpoch(
  place: DatabaseLocation,
  keyFile: string,
  { now, replaceKey }: { now: number; replaceKey: boolean },
): Promise<string> {
  const signer = await readEpochKeyFile(keyFile, place);
  return await inStore(place, async (store) => epochName(await declareNext(store, signer, { now, replaceKey })));
}

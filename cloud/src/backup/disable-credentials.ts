import type { PostgresPlace } from '../store/postgres/postgres.js';
import { openPostgresStore } from '../store/postgres/postgres.js';
import { openSqliteStore } from '../store/sqlite.js';
import type { Store } from '../store/store.js';

/**
 * After a database was set back: ends all sessions and turns off every credential but the operators'. Returns how many were on.
 * A cloud may run on PostgreSQL meanwhile, and follows.
 */
export async function disableCredentials(
  place: { postgres: PostgresPlace } | { dataDir: string },
  now: number,
): Promise<number> {
  const store = 'postgres' in place ? await openPostgresStore(place.postgres) : await openSqliteStore(place.dataDir);
  try {
    return await setBack(store, now);
  } finally {
    await store.close();
  }
}

/** The same in an open store. */
export async function setBack(
  store: Pick<Store, 'endAllSessions' | 'disableCredentials'>,
  now: number,
): Promise<number> {
  // Who was signed in then is not signed in now.
  await store.endAllSessions();
  return await store.disableCredentials({
    at: new Date(now).toISOString(),
    request_id: 'restore',
    credential: { kind: 'bootstrap', id: 'restore', name: 'restore' },
  });
}

import { migrateSqlite } from '../store/migrate-sqlite.js';
import { migratePostgres } from '../store/postgres/migrate-postgres.js';
import type { PostgresPlace } from '../store/postgres/postgres.js';

/** The migrations that were done, or with `check` those that a start would do. */
export async function migrateDatabase(
  place: { postgres: PostgresPlace } | { dataDir: string },
  options: { check: boolean },
): Promise<string[]> {
  if ('postgres' in place) return await migratePostgres(place.postgres, options);
  return await migrateSqlite(place.dataDir, options);
}

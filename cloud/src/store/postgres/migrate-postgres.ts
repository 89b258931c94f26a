import { pendingMigrations } from '../migrations/pending-migrations.js';
import { connectPostgres } from './connect.js';
import { cannotUse, type PostgresPlace } from './postgres.js';
import { migrate, refuseLater, refuseUnfit } from './postgres-schema.js';

/** Migrates a database, or with `check` only looks at it. Returns the migrations that it lacked. */
export async function migratePostgres({ address }: PostgresPlace, { check }: { check: boolean }): Promise<string[]> {
  const database = connectPostgres(address, { connectionsMax: 1, acquireMs: 10_000, silenceMs: 0 });
  try {
    await refuseUnfit(database);
    if (!check) return await migrate(database);
    const { pending, later } = await pendingMigrations(database);
    refuseLater(later);
    return pending;
  } catch (error) {
    throw cannotUse(address, error);
  } finally {
    await database.destroy();
  }
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import { DATABASE } from './database-name.js';
import { pendingMigrations } from './migrations/pending-migrations.js';
import { cannotOpen, connectSqlite, openSqliteStore } from './sqlite.js';

/** Migrates the database in a folder, or with `check` only looks at it. Returns the migrations that it lacked. */
export async function migrateSqlite(dataDir: string, { check }: { check: boolean }): Promise<string[]> {
  const filename = join(dataDir, DATABASE);
  if (!existsSync(filename))
    throw new ProblemError('invalid_config', `There is no database in "${dataDir}": name the folder of the cloud.`);
  const database = connectSqlite(filename);
  const { pending, later } = await pendingMigrations(database)
    .catch((error: unknown) => {
      throw cannotOpen(`The data directory "${dataDir}"`, error);
    })
    .finally(() => database.destroy());
  // Opening refuses what a newer version wrote, and says so.
  if (!check || later !== undefined) await (await openSqliteStore(dataDir)).close();
  return pending;
}

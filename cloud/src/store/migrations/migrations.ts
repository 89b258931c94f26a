import type { Knex } from 'knex';
import * as initial from './0001-initial.js';
import * as bundleKeys from './0002-bundle-keys.js';

type Named = Knex.Migration & { name: string };

/** All migrations in order, listed in code because built programs keep no folder to scan. */
const MIGRATIONS: Named[] = [
  { name: '0001-initial', ...initial },
  { name: '0002-bundle-keys', ...bundleKeys },
];

export const migrations: Knex.MigrationSource<Named> = {
  getMigrations: async () => MIGRATIONS,
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};

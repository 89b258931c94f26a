import type { Knex } from 'knex';
import { migrations } from './migrations.js';

/** The migrations that a database still lacks, and one that only a newer version of this program knows. */
export async function pendingMigrations(knex: Knex): Promise<{ pending: string[]; later: string | undefined }> {
  const known = (await migrations.getMigrations([])).map((migration) => migrations.getMigrationName(migration));
  const begun = await knex.schema.hasTable('knex_migrations');
  const done: { name: string }[] = begun ? await knex('knex_migrations').select('name') : [];
  return {
    pending: known.filter((name) => !done.some((row) => row.name === name)),
    later: done.find(({ name }) => !known.includes(name))?.name,
  };
}

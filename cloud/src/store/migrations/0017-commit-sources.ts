import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('revisions', (table) => {
    // What the commit said of where in Git its records stand, as JSON; null where it said nothing.
    table.text('source');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('revisions', (table) => {
    table.dropColumn('source');
  });
}

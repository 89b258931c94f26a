import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('secrets', (table) => {
    // Since when the credential is off; null while it can be used.
    table.text('off_since');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('secrets', (table) => {
    table.dropColumn('off_since');
  });
}

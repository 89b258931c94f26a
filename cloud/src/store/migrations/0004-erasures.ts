import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('record_versions', (table) => {
    // Whether values have been taken out of the version since.
    table.boolean('erased').notNullable().defaultTo(false);
  });
  await knex.schema.alterTable('tenant_events', (table) => {
    // Of an erasure: the path of the subject, and the names of its properties as JSON, unless all were erased.
    table.text('subject');
    table.text('properties');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('tenant_events', (table) => {
    table.dropColumns('subject', 'properties');
  });
  await knex.schema.alterTable('record_versions', (table) => {
    table.dropColumn('erased');
  });
}

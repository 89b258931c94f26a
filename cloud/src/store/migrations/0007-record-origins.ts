import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('record_origins', (table) => {
    const pk = knex.client.config.client === 'pg' ? table.bigInteger('record_pk') : table.integer('record_pk');
    pk.primary().references('records.pk').onDelete('CASCADE');
    table.text('repository');
    table.text('git_commit');
    table.text('path');
    table.integer('line');
    table.boolean('uncommitted').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('record_origins');
}

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('epochs', (table) => {
    // By the clock, in seconds, above the one before.
    table.bigInteger('number').primary();
    table.text('id').notNullable();
    // Signed by a key that is not in the database.
    table.text('statement').notNullable();
    table.text('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('epochs');
}

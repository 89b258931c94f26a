import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('bundle_keys', (table) => {
    // Of two simultaneous rotations, only one can use the next version.
    table.bigInteger('version').primary();
    table.text('kid').notNullable();
    table.text('jwk').notNullable();
    table.text('announcement').notNullable();
    table.text('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('bundle_keys');
}

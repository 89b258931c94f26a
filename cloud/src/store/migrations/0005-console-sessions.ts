import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('console_sessions', (table) => {
    table.text('hash').primary();
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('id').notNullable();
    // Who signed in, as JSON.
    table.text('holder').notNullable();
    table.text('created_at').notNullable();
    table.text('seen_at').notNullable().index();
    table.text('expires_at').notNullable().index();
    table.unique(['tenant_id', 'id']);
  });

  await knex.schema.createTable('console_links', (table) => {
    table.text('hash').primary();
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('holder').notNullable();
    table.text('expires_at').notNullable().index();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('console_links');
  await knex.schema.dropTable('console_sessions');
}

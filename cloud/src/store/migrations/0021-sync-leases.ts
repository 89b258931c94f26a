import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Which controller applies a stack from Git, until when, and what it last reported.
  await knex.schema.createTable('sync_leases', (table) => {
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('stack').notNullable();
    table.text('holder').notNullable();
    // Rises by one with each controller that takes the lease.
    table.integer('term').notNullable();
    table.text('expires_at').notNullable();
    table.text('status').notNullable();
    table.text('updated_at').notNullable();
    table.primary(['tenant_id', 'stack']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('sync_leases');
}

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('sign_offs', (table) => {
    table.text('id').primary();
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('at').notNullable();
    table.text('request_id').notNullable();
    // Who signed it off, as JSON.
    table.text('person').notNullable();
    // What was reviewed: `resource_type/billing/invoice`, and the actions as JSON unless all were.
    table.text('part').notNullable();
    table.text('actions');
    table.text('revision').notNullable();
    // The clock of the review: conditions and terms were looked at from then on.
    table.text('as_of').notNullable();
    table.text('decision').notNullable();
    table.text('note').notNullable();
    table.integer('row_count').notNullable();
    // Of all rows.
    table.text('rows_digest').notNullable();
    // The rows that need change, as JSON.
    table.text('to_change').notNullable();
    table.index(['tenant_id', 'at', 'id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('sign_offs');
}

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('tenants', (table) => {
    // The oldest revision whose records can be rebuilt.
    table.bigInteger('history_start').notNullable().defaultTo(0);
  });
  // Of revisions before this table, nothing is known.
  await knex('tenants').update({ history_start: knex.ref('revision') });

  // Records as they were from `revision` up to, but not including, `until`.
  await knex.schema.createTable('record_versions', (table) => {
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.bigInteger('until').notNullable();
    table.text('address').notNullable();
    table.text('kind').notNullable();
    table.text('id').notNullable();
    table.text('fields').notNullable();
    table.text('managed_by').notNullable();
    table.text('created_at').notNullable();
    table.text('updated_at').notNullable();
    table.bigInteger('revision').notNullable();
    // The address of the subject, group or role that a link belongs to.
    table.text('entity');
    table.primary(['tenant_id', 'until', 'address']);
    table.index(['tenant_id', 'address']);
    table.index(['tenant_id', 'entity']);
  });

  await knex.schema.alterTable('revisions', (table) => {
    table.index(['tenant_id', 'at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('revisions', (table) => {
    table.dropIndex(['tenant_id', 'at']);
  });
  await knex.schema.dropTable('record_versions');
  await knex.schema.alterTable('tenants', (table) => {
    table.dropColumn('history_start');
  });
}

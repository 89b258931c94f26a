import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('revisions', (table) => {
    // What a directory took away by the commit, as JSON; null where it took nothing away.
    table.text('losses');
  });
  // Changes that a directory asked for and its brake held.
  await knex.schema.createTable('held_changes', (table) => {
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    // The address of the directory.
    table.text('directory').notNullable();
    // SHA-256 over the changes.
    table.text('id').notNullable();
    table.text('braked').notNullable();
    table.text('detail').notNullable();
    table.text('changes').notNullable();
    // `held`, or what an operator decided: `released` or `discarded`.
    table.text('state').notNullable();
    table.text('first_at').notNullable();
    table.text('last_at').notNullable();
    table.primary(['tenant_id', 'directory', 'id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('held_changes');
  await knex.schema.alterTable('revisions', (table) => {
    table.dropColumn('losses');
  });
}

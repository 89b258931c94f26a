import type { Knex } from 'knex';

/** Apart from the tenants, whose rows commits lock. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('tenant_use', (table) => {
    table.text('tenant_id').primary().references('tenants.id').onDelete('CASCADE');
    table.text('used_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('tenant_use');
}

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('credential_uses', (table) => {
    const pk = knex.client.config.client === 'pg' ? table.bigInteger('record_pk') : table.integer('record_pk');
    pk.primary().references('records.pk').onDelete('CASCADE');
    // When the credential was last used, to the minute or so, in milliseconds since the epoch.
    table.bigInteger('used_ms').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('credential_uses');
}

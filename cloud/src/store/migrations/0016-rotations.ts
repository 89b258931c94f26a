import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('signing_keys', (table) => {
    // Rises with each rotation, as those of `bundle_keys` do.
    table.bigInteger('version').notNullable().defaultTo(1);
  });
  // Their age counts from now on, so that none is replaced while other processes still run the version before.
  await knex('signing_keys').update({ created_at: new Date().toISOString() });
  await knex.schema.alterTable('secrets', (table) => {
    // The secret before the present one, and until when it is good: both are null unless a rotation overlaps.
    table.text('former_hash');
    table.text('former_until');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('secrets', (table) => {
    table.dropColumn('former_until');
    table.dropColumn('former_hash');
  });
  await knex.schema.alterTable('signing_keys', (table) => {
    table.dropColumn('version');
  });
}

import type { Knex } from 'knex';

/**
 * Indexes new commits, so that what has changed since a revision is found without going through all that a tenant has. The
 * tables are locked in the order in which commits write to them: in the other one, a replica that runs meanwhile could wait
 * for this, and this for it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('record_versions', (table) => {
    table.index(['tenant_id', 'until'], 'record_versions_erased', { predicate: knex.whereRaw('erased') });
  });
  await knex.schema.alterTable('records', (table) => {
    table.index(['tenant_id', 'revision']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('record_versions', (table) => {
    table.dropIndex([], 'record_versions_erased');
  });
  await knex.schema.alterTable('records', (table) => {
    table.dropIndex(['tenant_id', 'revision']);
  });
}

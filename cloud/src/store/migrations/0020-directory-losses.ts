import type { Knex } from 'knex';

/** Indexes the commits by which a directory took something away: they are few among those by which it added something. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('revisions', (table) => {
    const predicate = knex.whereNotNull('losses');
    table.index(['tenant_id', 'stack', 'at'], 'revisions_with_losses', { predicate });
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('revisions', (table) => {
    table.dropIndex([], 'revisions_with_losses');
  });
}

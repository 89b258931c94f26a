import type { Knex } from 'knex';

/** Finds the owner of an agent's id, which is asked for at the first poll of each agent. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('agents', (table) => table.index(['tenant_id', 'agent_id'], 'agents_by_agent'));
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('agents', (table) => table.dropIndex([], 'agents_by_agent'));
}

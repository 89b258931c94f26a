import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('agents', (table) => {
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('credential_id').notNullable();
    table.text('agent_id').notNullable();
    table.text('credential_tenant').notNullable();
    table.text('credential_name').notNullable();
    // What it said last, as JSON.
    table.text('report').notNullable();
    // The number of the tenant's revision that it serves, if it serves one.
    table.bigInteger('enforces');
    table.boolean('diverged').notNullable();
    // In milliseconds since the epoch: when it was first and last heard, and until when it may decide without being heard.
    table.bigInteger('first_seen_ms').notNullable();
    table.bigInteger('seen_ms').notNullable();
    table.bigInteger('decides_until_ms');
    table.primary(['tenant_id', 'credential_id', 'agent_id']);
    table.index(['tenant_id', 'enforces']);
    table.index(['decides_until_ms']);
  });
  await knex.schema.createTable('unlisted_agents', (table) => {
    table.text('tenant_id').primary().references('tenants.id').onDelete('CASCADE');
    // When the bundle was last asked for by an agent that is not in the list, in milliseconds since the epoch.
    table.bigInteger('seen_ms').notNullable();
  });
  await knex.schema.alterTable('tenant_events', (table) => {
    // Of the retirement of an agent: its id.
    table.text('agent');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('tenant_events', (table) => {
    table.dropColumn('agent');
  });
  await knex.schema.dropTable('unlisted_agents');
  await knex.schema.dropTable('agents');
}

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('tenants', (table) => {
    table.text('id').primary();
    table.text('name').notNullable().unique();
    table.text('created_at').notNullable();
    table.bigInteger('revision').notNullable();
  });

  await knex.schema.createTable('records', (table) => {
    table.integer('pk').primary();
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('kind').notNullable();
    table.text('id').notNullable();
    table.text('address').notNullable();
    table.text('fields').notNullable();
    table.text('managed_by').notNullable();
    table.text('created_at').notNullable();
    table.text('updated_at').notNullable();
    table.bigInteger('revision').notNullable();
    table.unique(['tenant_id', 'address']);
    table.unique(['tenant_id', 'kind', 'id']);
  });

  await knex.schema.createTable('record_references', (table) => {
    table.integer('from_pk').notNullable().references('records.pk').onDelete('CASCADE');
    table.integer('to_pk').notNullable().references('records.pk').onDelete('RESTRICT');
    table.primary(['from_pk', 'to_pk']);
    table.index('to_pk');
  });

  await knex.schema.createTable('secrets', (table) => {
    table.integer('record_pk').primary().references('records.pk').onDelete('CASCADE');
    table.text('hash').notNullable().unique();
    table.boolean('operator').notNullable();
  });

  await knex.schema.createTable('revisions', (table) => {
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.bigInteger('number').notNullable();
    table.text('digest').notNullable();
    table.text('row_digest').notNullable();
    table.text('at').notNullable();
    table.text('request_id').notNullable();
    table.text('credential_kind').notNullable();
    table.text('credential_id').notNullable();
    table.text('credential_name').notNullable();
    table.text('stack');
    table.integer('added').notNullable();
    table.integer('changed').notNullable();
    table.integer('removed').notNullable();
    table.text('changes').notNullable();
    table.boolean('truncated').notNullable();
    table.primary(['tenant_id', 'number']);
  });

  // This table references no tenant, because its rows outlive them.
  await knex.schema.createTable('tenant_events', (table) => {
    table.increments('number');
    table.text('op').notNullable();
    table.text('at').notNullable();
    table.text('tenant_id').notNullable();
    table.text('tenant_name').notNullable();
    table.text('request_id').notNullable();
    table.text('credential_kind').notNullable();
    table.text('credential_id').notNullable();
    table.text('credential_name').notNullable();
  });

  await knex.schema.createTable('idempotency_keys', (table) => {
    table.text('tenant_id').notNullable().references('tenants.id').onDelete('CASCADE');
    table.text('credential_id').notNullable();
    table.text('key').notNullable();
    table.text('request_hash').notNullable();
    table.text('response').notNullable();
    table.text('created_at').notNullable().index();
    table.primary(['tenant_id', 'credential_id', 'key']);
  });

  await knex.schema.createTable('signing_keys', (table) => {
    table.text('kid').primary();
    table.text('jwk').notNullable();
    table.text('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  const tables = [
    'signing_keys',
    'idempotency_keys',
    'tenant_events',
    'revisions',
    'secrets',
    'record_references',
    'records',
    'tenants',
  ];
  for (const table of tables) await knex.schema.dropTable(table);
}

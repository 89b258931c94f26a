import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('records', (table) => {
    // The address of the subject, group or role that a link belongs to.
    table.text('entity');
  });
  if (isPostgres(knex)) {
    for (const [table, column] of KEYS) await knex.raw('alter table ?? alter column ?? type bigint', [table, column]);
    // Transactions that run at the same time take keys without waiting for each other.
    await knex.raw('create sequence records_pk owned by records.pk');
  } else {
    await knex.raw(
      "update records set entity = json_extract(fields, '$.entity_type') || '/' || json_extract(fields, '$.entity')",
    );
  }
}

export async function down(knex: Knex): Promise<void> {
  if (isPostgres(knex)) await knex.raw('drop sequence records_pk');
  await knex.schema.alterTable('records', (table) => {
    table.dropColumn('entity');
  });
}

const KEYS = [
  ['records', 'pk'],
  ['record_references', 'from_pk'],
  ['record_references', 'to_pk'],
  ['secrets', 'record_pk'],
] as const;

function isPostgres(knex: Knex): boolean {
  return knex.client.config.client === 'pg';
}

import { ProblemError } from '@authz-service/core/problem';
import type { Knex } from 'knex';
import { migrations } from '../migrations/migrations.js';
import { pendingMigrations } from '../migrations/pending-migrations.js';
import { LOCKS, WRITING } from './postgres-dialect.js';

/** The release that tells what became of a transaction (`pg_xact_status` with `xid8`). */
const VERSION_MIN = 130_000;

/** Throws `invalid_config` if the database is not one that a schema can be made in. */
export async function refuseUnfit(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as release,
       current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
       current_setting('transaction_read_only') = 'on' as read_only`,
  );
  const { version, release, encoding, standby, read_only } = rows[0];
  if (version < VERSION_MIN) throw unfit(`it runs PostgreSQL ${release}: use 13 or later`);
  if (encoding !== 'UTF8')
    throw unfit(`its encoding is ${encoding}: create it with "create database … encoding 'UTF8' template template0"`);
  if (standby || read_only) throw unfit('it is read-only: connect to the primary server, or allow writing');
}

/** The tables with texts. Whatever else is in the schema belongs to others. */
const TABLES = [
  'agents',
  'bundle_keys',
  'console_links',
  'console_sessions',
  'credential_uses',
  'epochs',
  'idempotency_keys',
  'record_origins',
  'record_references',
  'record_versions',
  'records',
  'revisions',
  'secrets',
  'held_changes',
  'sign_offs',
  'sync_leases',
  'signing_keys',
  'tenant_events',
  'tenant_use',
  'tenants',
  'unlisted_agents',
];

/** Brings the schema up to date, in one transaction and one process at a time. Returns what was done. */
export async function migrate(knex: Knex): Promise<string[]> {
  return await knex.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?)', [LOCKS.migrations]);
    const { pending, later } = await pendingMigrations(trx);
    refuseLater(later);
    if (pending.length === 0) return [];
    // Only the lock above counts.
    await trx.migrate.forceFreeMigrationsLock({ migrationSource: migrations });
    await trx.migrate.latest({ migrationSource: migrations });
    await compareByBytes(trx);
    return pending;
  }, WRITING);
}

/** Names are compared and sorted by their bytes, in whatever way the database compares texts of its own accord. */
async function compareByBytes(trx: Knex): Promise<void> {
  const { rows } = await trx.raw(
    `select table_name as "table", column_name as "column" from information_schema.columns
     where table_schema = current_schema() and data_type = 'text' and collation_name is distinct from 'C'
       and table_name = any (?)`,
    [TABLES],
  );
  for (const { table, column } of rows as { table: string; column: string }[])
    await trx.raw('alter table ?? alter column ?? type text collate "C"', [table, column]);
}

/** Throws `invalid_config` if there is a migration that only a newer version of this program knows. */
export function refuseLater(later: string | undefined): void {
  if (later !== undefined)
    throw unfit(`a newer version of this program wrote it ("${later}"): start that version, or a later one`);
}

function unfit(why: string): ProblemError {
  return new ProblemError('invalid_config', `The database in DATABASE_URL cannot be used: ${why}.`);
}

import { ProblemError } from '@authz-service/core/problem';
import type { Knex } from 'knex';
import { insertRows } from '../batch.js';
import { loadTenant } from '../load-tenant.js';
import { SQLITE_JSON } from '../sqlite-dialect.js';
import type { Store, TenantRow } from '../store.js';
import { connectPostgres } from './connect.js';
import { cannotUse } from './postgres.js';
import { addressText, type PostgresAddress } from './postgres-address.js';
import { postgresDialect } from './postgres-dialect.js';
import { migrate, refuseUnfit } from './postgres-schema.js';

const PAGE_ROWS = 2000;

/** Throws if the tenants are not the same on both sides. */
export type Verify = (tenants: TenantRow[], load: { source: Store['load']; target: Store['load'] }) => Promise<void>;

/**
 * Copies every row of an SQLite database to an empty PostgreSQL database, all or nothing. Returns the number of rows. Throws
 * `conflict` if there are tenants already.
 */
export async function copyRows(source: Knex, address: PostgresAddress, verify: Verify): Promise<number> {
  const target = connectPostgres(address, { connectionsMax: 2, acquireMs: 10_000, silenceMs: 0 });
  const dialect = postgresDialect(target, () => target);
  try {
    await refuseUnfit(target);
    await migrate(target);
    return await dialect.writing(async (trx) => {
      // No cloud makes a first tenant there meanwhile.
      await dialect.lock(trx, 'start');
      if ((await trx('tenants').first('id')) !== undefined) throw taken(address);
      for (const table of KEYS) await trx(table).delete();
      let rows = 0;
      for (const table of await tablesOf(source)) rows += await copyTable(source, trx, table);
      await trx.raw("select setval('records_pk', (select coalesce(max(pk), 0) + 1 from records), false)");
      await trx.raw(
        "select setval(pg_get_serial_sequence('tenant_events', 'number'), (select coalesce(max(number), 0) + 1 from tenant_events), false)",
      );
      const tenants = await trx<TenantRow>('tenants').select('id', 'name', 'created_at').orderBy('name');
      await verify(tenants, {
        source: (tenant, take) => loadTenant(source, SQLITE_JSON, tenant, take),
        target: (tenant, take) => loadTenant(trx, dialect.json, tenant, take),
      });
      return rows;
    });
  } catch (error) {
    throw cannotUse(address, error);
  } finally {
    await target.destroy();
  }
}

/** Tables that a start fills before there is a tenant. */
const KEYS = ['signing_keys', 'bundle_keys'];

/** All tables with rows to copy, each after those that it refers to. */
async function tablesOf(source: Knex): Promise<string[]> {
  const rows: { name: string }[] = await source('sqlite_master').where('type', 'table').select('name').orderBy('name');
  const open = new Set(rows.map(({ name }) => name).filter((name) => !/^(knex|sqlite)_/.test(name)));
  const ordered: string[] = [];
  while (open.size > 0) {
    for (const table of open) {
      const references: { table: string }[] = await source.raw('select "table" from pragma_foreign_key_list(?)', [
        table,
      ]);
      if (references.some((reference) => reference.table !== table && open.has(reference.table))) continue;
      open.delete(table);
      ordered.push(table);
    }
  }
  return ordered;
}

async function copyTable(source: Knex, target: Knex, table: string): Promise<number> {
  let copied = 0;
  for (let after = 0; ; ) {
    const rows: Record<string, string | number | null>[] = await source(table)
      .select(source.raw('rowid as "row id"'), '*')
      .where('rowid', '>', after)
      .orderBy('rowid')
      .limit(PAGE_ROWS);
    const [first] = rows;
    if (first === undefined) return copied;
    const columns = Object.keys(first).filter((column) => column !== 'row id');
    const values = rows.map((row) => columns.map((column) => row[column] ?? null));
    await insertRows(target, table, columns, values);
    copied += rows.length;
    after = Number(rows.at(-1)?.['row id']);
  }
}

function taken(address: PostgresAddress): ProblemError {
  return new ProblemError(
    'conflict',
    `The database ${addressText(address)} holds tenants already: move to an empty one.`,
  );
}

import type { Knex } from 'knex';

type Value = string | number | boolean | null;

/** The most parameters in one statement: SQLite takes 32,766, PostgreSQL 65,535. */
const PARAMETERS_MAX = 30_000;

/** Inserts many rows with few statements; `conflict` follows `values`, for example an `on conflict` clause. */
export async function insertRows(
  trx: Knex,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  conflict = '',
): Promise<void> {
  const row = `(${columns.map(() => '?').join(',')})`;
  for (const part of chunks(rows, Math.floor(PARAMETERS_MAX / columns.length))) {
    const sql = `insert into ${table} (${columns.join(',')}) values ${part.map(() => row).join(',')} ${conflict}`;
    await trx.raw(sql, part.flat());
  }
}

/** Runs `work` on the values in parts that fit the parameters of one statement. */
export async function inParts<T>(values: readonly T[], work: (part: T[]) => Promise<void>): Promise<void> {
  for (const part of chunks(values, PARAMETERS_MAX)) await work(part);
}

function* chunks<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}

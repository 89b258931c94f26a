import type { Knex } from 'knex';
import { type Statement, sendInTurn, type Value } from './statement.js';

/**
 * The most parameters in one statement. The drivers take them over within one turn of the event loop, in more than a microsecond
 * each, and decisions wait meanwhile. SQLite would take 32,766, and PostgreSQL 65,535.
 */
export const PARAMETERS_MAX = 1000;

/** Few statements that insert many rows; `conflict` follows `values`, for example an `on conflict` clause. */
export function* insertions(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  conflict = '',
): Generator<Statement> {
  const row = `(${columns.map(() => '?').join(',')})`;
  for (const part of chunks(rows, Math.floor(PARAMETERS_MAX / columns.length))) {
    const sql = `insert into ${table} (${columns.join(',')}) values ${part.map(() => row).join(',')} ${conflict}`;
    yield { sql, values: part.flat() };
  }
}

/** Inserts many rows with few statements; `conflict` follows `values`, for example an `on conflict` clause. */
export async function insertRows(trx: Knex, ...what: Parameters<typeof insertions>): Promise<void> {
  await sendInTurn(trx, insertions(...what));
}

/** The same statement for each part of the values that fits; `sql` gets the list of their placeholders. */
export function* forParts(values: readonly Value[], sql: (list: string) => string): Generator<Statement> {
  for (const part of chunks(values, PARAMETERS_MAX))
    yield { sql: sql(`(${part.map(() => '?').join(',')})`), values: part };
}

/** Runs `work` on the values in parts that fit the parameters of one statement. */
export async function inParts<T>(values: readonly T[], work: (part: T[]) => Promise<void>): Promise<void> {
  for (const part of chunks(values, PARAMETERS_MAX)) await work(part);
}

function* chunks<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}

import type { Knex } from 'knex';

export type Value = string | number | boolean | null;

/** One statement with its values, to be sent when its turn comes. */
export interface Statement {
  sql: string;
  values: readonly Value[];
  /** The error to throw if it gives no row. */
  otherwise?: () => Error;
}

/** Sends one statement; returns its rows. Throws what the statement says if there are none. */
export async function send(knex: Knex, { sql, values, otherwise }: Statement): Promise<unknown[]> {
  const rows = await rowsOf(knex, sql, [...values]);
  if (otherwise && rows.length === 0) throw otherwise();
  return rows;
}

/** The rows that a statement gives, whichever database it is. */
export async function rowsOf<T>(knex: Knex, sql: string, bindings: Value[] | Record<string, Value>): Promise<T[]> {
  const result = (await knex.raw(sql, bindings)) as unknown as T[] | { rows: T[] };
  return Array.isArray(result) ? result : result.rows;
}

/** Sends one statement after the other, each once the one before has succeeded. */
export async function sendInTurn(knex: Knex, statements: Iterable<Statement>): Promise<void> {
  for (const statement of statements) await send(knex, statement);
}

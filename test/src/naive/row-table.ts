import type { Json } from '@authz-service/core/json/json';
import type { FilterColumns, SqlFilter } from '@authz-service/sdk';
import sqlite from 'sqlite3';
import type { Row } from './filtered-rows.js';

type Where = Pick<SqlFilter, 'sql' | 'params'>;

/** A table of rows in SQLite, in which texts compare without regard to case unless a query says otherwise. */
export class RowTable {
  readonly #database = new sqlite.Database(':memory:');

  constructor() {
    this.#database.exec(
      `CREATE TABLE doc (at INTEGER, name TEXT COLLATE NOCASE, n REAL, k REAL, t TEXT COLLATE NOCASE,
        u TEXT COLLATE NOCASE, b INTEGER, l TEXT, up TEXT COLLATE NOCASE, by TEXT COLLATE NOCASE, "in" TEXT COLLATE NOCASE)`,
    );
  }

  /** The columns of a filter; `parents` are the names of declared properties in it. */
  static columns(parents: ReadonlyMap<string, string>): FilterColumns {
    const properties = Object.fromEntries(['n', 'k', 't', 'u', 'b', 'l'].map((name) => [name, `doc.${name}`]));
    const lies = [...parents].map(([property, column]) => [column, `doc."${property}"`]);
    return { name: 'doc.name', properties, parents: Object.fromEntries(lies) };
  }

  /** The rows that a query selects, in their order. */
  async select(rows: readonly Row[], filter: Where): Promise<Row[]> {
    await this.fill(rows);
    return this.selected(rows, filter);
  }

  /** Holds these rows, and no others. */
  async fill(rows: readonly Row[]): Promise<void> {
    await this.#run('DELETE FROM doc');
    const values = rows.flatMap(({ name, properties: { n, k, t, u, b, l }, parents: { up, by, in: inside } }, at) => [
      ...[at, name, n, k, t, u, b === undefined ? null : Number(b), l === undefined ? null : JSON.stringify(l)],
      ...[up, by, inside],
    ]);
    const places = rows.map(() => `(${Array(11).fill('?').join(', ')})`);
    await this.#run(`INSERT INTO doc VALUES ${places.join(', ')}`, values as Json[]);
  }

  /** Those of the rows it was filled with that a query selects. */
  async selected(rows: readonly Row[], { sql, params }: Where): Promise<Row[]> {
    const found = await this.#all(`SELECT at FROM doc WHERE ${sql} ORDER BY at`, params);
    return found.map(({ at }) => rows[at] as Row);
  }

  close(): void {
    this.#database.close();
  }

  #run(sql: string, values: readonly Json[] = []): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.run(sql, values, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  #all(sql: string, params: SqlFilter['params']): Promise<{ at: number }[]> {
    return new Promise((resolve, reject) => {
      this.#database.all<{ at: number }>(sql, params, (error, found) =>
        error === null ? resolve(found) : reject(error),
      );
    });
  }
}

import type { Json } from '@authz-service/core/json/json';
import type { FilterColumns, SqlDialect, SqlFilter } from '@authz-service/sdk';
import type { Row } from './filtered-rows.js';

export type SqlValue = Json | undefined;

/** A database of a test's own. */
export interface RowDatabase {
  readonly dialect: SqlDialect;
  readonly columns: readonly RowColumn[];
  run(sql: string, values?: readonly SqlValue[]): Promise<void>;
  /** The numbers in the column `at` of what a query finds. */
  numbers(sql: string, values: SqlFilter['params']): Promise<number[]>;
  close(): Promise<void>;
}

/** A column that holds one attribute of rows; several columns of different types may hold the same one. */
export interface RowColumn {
  /** `name`, a property or a declared parents' property. */
  readonly attribute: string;
  readonly type: string;
  /** The SQL to which the attribute is mapped; `?` is the column. */
  readonly as?: string;
  readonly isArray?: boolean;
  /** Whether the type has the value; by default, all. */
  readonly holds?: (value: Json) => boolean;
  readonly write?: (value: Json) => SqlValue;
}

type Where = Pick<SqlFilter, 'sql' | 'params'>;

/**
 * A table of rows. A variant of it maps each attribute to one of the columns that hold it: filters have to select the same rows
 * in all of them.
 */
export class RowTable {
  private constructor(private readonly database: RowDatabase) {}

  static async in(database: RowDatabase): Promise<RowTable> {
    const columns = database.columns.map(({ type }, index) => `c${index} ${type}`);
    await database.run(`CREATE TABLE doc (at INTEGER, ${columns.join(', ')})`);
    return new RowTable(database);
  }

  get dialect(): SqlDialect {
    return this.database.dialect;
  }

  get variants(): number[] {
    const { columns } = this.database;
    const most = Math.max(...columns.map(({ attribute }) => this.#of(attribute).length));
    return Array.from({ length: most }, (_, variant) => variant);
  }

  /** The columns of a filter; `parents` are the names of declared properties in it. */
  columns(parents: ReadonlyMap<string, string>, variant = 0): FilterColumns {
    const mapped = (attribute: string) => {
      const { as = '?', isArray, index } = this.#column(attribute, variant);
      const column = as.replace('?', `doc.c${index}`);
      return isArray ? ({ column, as: 'array' } as const) : column;
    };
    const properties = Object.fromEntries(['n', 'k', 't', 'u', 'b', 'l'].map((name) => [name, mapped(name)]));
    const lies = [...parents].map(([property, column]) => [column, mapped(property) as string]);
    return { name: mapped('name') as string, properties, parents: Object.fromEntries(lies) };
  }

  /** Holds these rows, and no others. */
  async fill(rows: readonly Row[]): Promise<void> {
    await this.database.run('DELETE FROM doc');
    const { columns } = this.database;
    for (let from = 0; from < rows.length; from += 100) {
      const part = rows.slice(from, from + 100);
      const values = part.flatMap((row, at) => [
        from + at,
        ...columns.map(({ attribute, holds, write }) => {
          const value = attributeOf(row, attribute);
          return value === null || holds?.(value) === false ? null : write ? write(value) : value;
        }),
      ]);
      const width = columns.length + 1;
      const place = (index: number) => (this.dialect === 'postgres' ? `$${index + 1}` : '?');
      const places = part.map(
        (_, at) => `(${Array.from({ length: width }, (_, one) => place(at * width + one)).join(', ')})`,
      );
      await this.database.run(`INSERT INTO doc VALUES ${places.join(', ')}`, values);
    }
  }

  /** Whether the columns of a variant have the types for a row. */
  holds(row: Row, variant: number): boolean {
    return [...new Set(this.database.columns.map(({ attribute }) => attribute))].every((attribute) => {
      const value = attributeOf(row, attribute);
      return value === null || this.#column(attribute, variant).holds?.(value) !== false;
    });
  }

  /** Those of the rows it was filled with that a query selects. */
  async selected(rows: readonly Row[], { sql, params }: Where): Promise<Row[]> {
    const found = await this.database.numbers(`SELECT at FROM doc WHERE ${sql} ORDER BY at`, params);
    return found.map((at) => rows[at] as Row);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  #of(attribute: string) {
    return this.database.columns
      .map((column, index) => ({ ...column, index }))
      .filter((column) => column.attribute === attribute);
  }

  #column(attribute: string, variant: number) {
    const all = this.#of(attribute);
    const column = all[variant % all.length];
    if (column === undefined) throw new Error(`no column holds ${attribute}`);
    return column;
  }
}

function attributeOf({ name, properties, parents }: Row, attribute: string): Json {
  return attribute === 'name' ? name : (properties[attribute] ?? (parents[attribute] as Json | undefined) ?? null);
}

import type { Filter } from './filter.js';
import { type ColumnsOf, filterTemplate, type SqlDialect } from './filter-template.js';

export type { SqlDialect } from './filter-template.js';

/** The columns of a table, as SQL expressions that the application trusts: `doc.amount`. */
export type FilterColumns = ColumnsOf<string>;

/** An expression for a WHERE, with `$1` for parameters in PostgreSQL and `?` elsewhere. */
export interface SqlFilter {
  readonly kind: Filter['kind'];
  readonly sql: string;
  readonly params: readonly (string | number)[];
  /** Set where not all of these rows are allowed: ask a decision for each. */
  readonly partial?: true;
}

/** Says a filter in SQL. Throws `invalid_config` for an attribute that has no column: nothing is left out. */
export function filterSql(filter: Filter, columns: FilterColumns, dialect: SqlDialect): SqlFilter {
  const { strings, values } = filterTemplate(filter, columns, dialect);
  const params: (string | number)[] = [];
  let sql = strings[0] as string;
  for (const [at, value] of values.entries()) {
    if ('param' in value) params.push(value.param);
    const place = dialect === 'postgres' ? `$${params.length}` : '?';
    sql += `${'param' in value ? place : value.column}${strings[at + 1]}`;
  }
  return { kind: filter.kind, sql, params, ...(filter.partial && { partial: filter.partial }) };
}

import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Filter } from './filter.js';
import { type ColumnsOf, filterTemplate, type SqlDialect, tagged } from './filter-template.js';

/** Columns of tables, `docs.owner`, or expressions. */
export type DrizzleColumns = ColumnsOf<SQLWrapper>;

/** Says a filter as an expression of Drizzle: `db.select().from(docs).where(filterDrizzle(filter, columns, 'postgres'))`. */
export function filterDrizzle(filter: Filter, columns: DrizzleColumns, dialect: SqlDialect): SQL<boolean> {
  return tagged(filterTemplate(filter, columns, dialect), sql<boolean>, (column) => column);
}

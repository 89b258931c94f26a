import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Filter } from './filter.js';
import { type ColumnsOf, filterTemplate, type SqlDialect, tagged } from './filter-template.js';

/** Columns by their names, `doc.owner`, or as expressions. */
export type KyselyColumns = ColumnsOf<string | Expression<unknown>>;

/** Says a filter as an expression of Kysely: `db.selectFrom('doc').where(filterKysely(filter, columns, 'postgres'))`. */
export function filterKysely(filter: Filter, columns: KyselyColumns, dialect: SqlDialect): RawBuilder<SqlBool> {
  const reference = (column: string | Expression<unknown>) => (typeof column === 'string' ? sql.ref(column) : column);
  return tagged(filterTemplate(filter, columns, dialect), sql<SqlBool>, reference);
}

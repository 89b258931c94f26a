import type { Json } from '@authz-service/core/json/json';
import type { Filter, FilterColumns, SqlDialect, SqlFilter } from '@authz-service/sdk';
import { filterDrizzle } from '@authz-service/sdk/drizzle';
import { filterTemplate, tagged } from '@authz-service/sdk/filter-template';
import { filterKysely } from '@authz-service/sdk/kysely';
import { type CompoundCondition, type Condition, createInterpreter, type FieldCondition } from '@ucast/core';
import { type SQLWrapper, sql } from 'drizzle-orm';
import { MySqlDialect } from 'drizzle-orm/mysql-core';
import { PgDialect } from 'drizzle-orm/pg-core';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import {
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type Row, selects } from '../naive/filtered-rows.js';

type Where = Pick<SqlFilter, 'sql' | 'params'>;

const createDriver = () => new DummyDriver();
const KYSELY = {
  postgres: new Kysely<never>({
    dialect: {
      createDriver,
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  }),
  mysql: new Kysely<never>({
    dialect: {
      createDriver,
      createAdapter: () => new MysqlAdapter(),
      createQueryCompiler: () => new MysqlQueryCompiler(),
      createIntrospector: (db) => new MysqlIntrospector(db),
    },
  }),
  sqlite: new Kysely<never>({
    dialect: {
      createDriver,
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  }),
};

/** The SQL that Kysely makes of a filter on plain columns. */
export function throughKysely(filter: Filter, columns: FilterColumns, dialect: SqlDialect): Where {
  const { sql: text, parameters } = filterKysely(filter, columns, dialect).compile(KYSELY[dialect]);
  return { sql: text, params: parameters as SqlFilter['params'] };
}

const DRIZZLE = { postgres: new PgDialect(), mysql: new MySqlDialect(), sqlite: new SQLiteSyncDialect() };

/** The SQL that Drizzle makes of a filter on plain columns. */
export function throughDrizzle(filter: Filter, columns: FilterColumns, dialect: SqlDialect): Where {
  const column = (text: string): SQLWrapper => {
    const [table = '', name = ''] = text.split('.');
    return sql`${sql.identifier(table)}.${sql.identifier(name)}`;
  };
  const each = (map: FilterColumns['properties'] = {}) =>
    Object.fromEntries(Object.entries(map).map(([name, text]) => [name, column(text as string)]));
  const mapped = {
    name: column(columns.name ?? ''),
    properties: each(columns.properties),
    parents: each(columns.parents),
  };
  const { sql: text, params } = DRIZZLE[dialect].sqlToQuery(filterDrizzle(filter, mapped, dialect));
  return { sql: text, params: params as SqlFilter['params'] };
}

/** The SQL that a tag makes of a filter, as `Prisma.sql` and `Prisma.raw` do. */
export function throughTag(filter: Filter, columns: FilterColumns, dialect: SqlDialect): Where {
  const params: (string | number)[] = [];
  const place = (value: unknown) => {
    if (typeof value === 'object') return (value as { raw: string }).raw;
    params.push(value as string | number);
    return dialect === 'postgres' ? `$${params.length}` : '?';
  };
  const tag = (texts: TemplateStringsArray, ...values: unknown[]) => String.raw(texts, ...values.map(place));
  return { sql: tagged(filterTemplate(filter, columns, dialect), tag, (column) => ({ raw: column })), params };
}

const PROPERTIES = ['n', 'k', 't', 'u', 'b', 'l'];
export const UCAST_FIELDS = {
  name: 'name',
  properties: Object.fromEntries(PROPERTIES.map((name) => [name, name])),
  parents: { up: 'up' },
};

const COMPARISONS = {
  ...{ exists: 'present', eq: 'eq', lt: 'lt', lte: 'le', gt: 'gt', gte: 'ge' },
  ...{ startsWith: 'startsWith', endsWith: 'endsWith', contains: 'contains' },
};
const LISTS = ['in', 'hasAny', 'hasOnly'];
const BETWEEN_FIELDS = ['same', 'less', 'atMost'];

const attributeOf = (field: string) => (PROPERTIES.includes(field) ? `properties.${field}` : field);
const test = (op: string, member: string, of = (value: unknown) => value) => {
  return ({ field, value }: FieldCondition, row: Row) =>
    selects(
      { op, attribute: attributeOf(field), [member]: of(value) } as never,
      (attribute) =>
        ({ ...row.properties, name: row.name, up: row.parents.up ?? undefined })[
          attribute.replace('properties.', '')
        ] as Json | undefined,
    );
};
type Interpret = (condition: Condition, row: Row) => boolean;
const all = (condition: CompoundCondition, row: Row, { interpret }: { interpret: Interpret }) =>
  condition.value.every((one) => interpret(one, row));
const interpretUcast = createInterpreter<never>({
  and: all,
  or: (condition: CompoundCondition, row: Row, { interpret }: { interpret: Interpret }) =>
    condition.value.some((one) => interpret(one, row)),
  not: (condition: CompoundCondition, row: Row, context: { interpret: Interpret }) => !all(condition, row, context),
  ...Object.fromEntries(Object.entries(COMPARISONS).map(([name, op]) => [name, test(op, 'value')])),
  ...Object.fromEntries(LISTS.map((op) => [op, test(op, 'values')])),
  ...Object.fromEntries(BETWEEN_FIELDS.map((op) => [op, test(op, 'other', (field) => attributeOf(String(field)))])),
} as never) as unknown as Interpret;

/** Whether a row meets a condition of UCAST. */
export function selectsByUcast(condition: Condition, row: Row): boolean {
  return interpretUcast(condition, row);
}

import type { Filter, FilterCondition, FilterTest, FilterValue } from './filter.js';
import { ServiceError } from './service-error.js';

export type SqlDialect = 'postgres' | 'mysql' | 'sqlite';

/** The columns of a table, each as whatever names one to whoever builds the query. */
export interface ColumnsOf<C> {
  /** The column that holds what requests call the name of the resource; it is never NULL. */
  readonly name?: C | undefined;
  /** A list is a column of JSON, or with `as: 'array'` a PostgreSQL array of text. */
  readonly properties?: Readonly<Record<string, C | ArrayColumn<C>>> | undefined;
  /** By the type of the parent. */
  readonly parents?: Readonly<Record<string, C>> | undefined;
}

/** A PostgreSQL array of text that holds a list. */
export interface ArrayColumn<C> {
  readonly column: C;
  readonly as: 'array';
}

/** An expression for a WHERE as the arguments of a template tag: `strings` stand before, between and after `values`. */
export interface FilterTemplate<C> {
  readonly strings: readonly string[];
  readonly values: readonly TemplateValue<C>[];
}

export type TemplateValue<C> = { readonly column: C } | { readonly param: string | number };

/** Says a filter in SQL. Throws `invalid_config` for an attribute that has no column: nothing is left out. */
export function filterTemplate<C>(filter: Filter, columns: ColumnsOf<C>, dialect: SqlDialect): FilterTemplate<C> {
  if (filter.kind !== 'some') return { strings: [filter.kind === 'all' ? '1 = 1' : NEVER], values: [] };
  const writer = new WRITERS[dialect](columns);
  const parts = writer.condition(filter.condition).split(NUL);
  return {
    strings: parts.filter((_, at) => at % 2 === 0),
    values: parts.filter((_, at) => at % 2 === 1).map((index) => writer.values[Number(index)] as TemplateValue<C>),
  };
}

/** Calls a template tag of a query builder. */
export function tagged<C, T>(
  { strings, values }: FilterTemplate<C>,
  tag: (strings: TemplateStringsArray, ...values: unknown[]) => T,
  column: (column: C) => unknown,
): T {
  const texts = Object.assign([...strings], { raw: strings });
  return tag(texts, ...values.map((value) => ('param' in value ? value.param : column(value.column))));
}

/** Finds the column of an attribute. Throws `invalid_config` if none is given. */
export function columnOf<C>(columns: ColumnsOf<C>, attribute: string): { column: C; isArray: boolean } {
  const { name, properties = {}, parents = {} } = columns;
  const dot = attribute.indexOf('.');
  const [root, member] = dot < 0 ? [attribute, ''] : [attribute.slice(0, dot), attribute.slice(dot + 1)];
  const maps = { name: { '': name }, properties, parents };
  const given = own(own(maps, root) ?? {}, member) as C | ArrayColumn<C> | undefined;
  if (given === undefined)
    throw new ServiceError(
      'invalid_config',
      `The filter reads "${attribute}", to which no column is given: add it, or send it with the request if it is the same for all rows.`,
    );
  return isArrayColumn(given) ? { column: given.column, isArray: true } : { column: given as C, isArray: false };
}

function isArrayColumn<C>(given: C | ArrayColumn<C>): given is ArrayColumn<C> {
  return typeof given === 'object' && given !== null && 'as' in given && given.as === 'array' && 'column' in given;
}

function own(map: object, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key as keyof typeof map] : undefined;
}

/** Stands around the number of a value in a text under way; no SQL has it. */
const NUL = '\0';

abstract class SqlWriter {
  readonly values: TemplateValue<unknown>[] = [];

  constructor(private readonly columns: ColumnsOf<unknown>) {}

  condition(condition: FilterCondition): string {
    switch (condition.op) {
      case 'and':
        return `(${condition.args.map((arg) => this.condition(arg)).join(' AND ')})`;
      case 'or':
        return `(${condition.args.map((arg) => this.condition(arg)).join(' OR ')})`;
      case 'not':
        return condition.arg.op === 'present'
          ? `${this.#column(condition.arg.attribute).sql} IS NULL`
          : `NOT (${this.#test(condition.arg)})`;
      default:
        return this.#test(condition);
    }
  }

  #test(test: FilterTest): string {
    const { sql: column, isArray } = this.#column(test.attribute);
    switch (test.op) {
      case 'present':
        return `${column} IS NOT NULL`;
      case 'eq':
        return this.equal(column, test.value);
      case 'in':
        return this.oneOf(column, test.values);
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        return this.ordered(column, ORDER[test.op], test.value);
      case 'startsWith':
        return this.startsWith(column, test.value);
      case 'endsWith':
        return this.endsWith(column, test.value);
      case 'contains':
        return this.contains(column, test.value);
      case 'hasAny':
        return this.hasAny(column, test.values, isArray);
      case 'hasOnly':
        return this.hasOnly(column, test.values, isArray);
      case 'same':
        return this.same(column, this.#column(test.other).sql);
      case 'less':
        return `${column} < ${this.#column(test.other).sql}`;
      case 'atMost':
        return `${column} <= ${this.#column(test.other).sql}`;
    }
  }

  #column(attribute: string): { sql: string; isArray: boolean } {
    const { column, isArray } = columnOf(this.columns, attribute);
    return { sql: this.#placed({ column }), isArray };
  }

  protected placed(param: string | number): string {
    return this.#placed({ param });
  }

  #placed(value: TemplateValue<unknown>): string {
    return `${NUL}${this.values.push(value) - 1}${NUL}`;
  }

  abstract parameter(value: FilterValue): string;

  equal(column: string, value: FilterValue): string {
    return `${column} = ${this.parameter(value)}`;
  }

  oneOf(column: string, values: readonly FilterValue[]): string {
    return `${column} IN (${values.map((value) => this.parameter(value)).join(', ')})`;
  }

  abstract ordered(column: string, operator: string, value: FilterValue): string;
  abstract startsWith(column: string, text: string): string;
  abstract endsWith(column: string, text: string): string;
  abstract contains(column: string, text: string): string;
  abstract hasAny(column: string, values: readonly FilterValue[], isArray: boolean): string;
  abstract hasOnly(column: string, values: readonly FilterValue[], isArray: boolean): string;

  same(left: string, right: string): string {
    return `${left} = ${right}`;
  }

  protected any(tests: readonly string[]): string {
    return tests.length === 0 ? NEVER : `(${tests.join(' OR ')})`;
  }
}

const NEVER = '1 = 0';
const ORDER = { lt: '<', le: '<=', gt: '>', ge: '>=' } as const;

/** Compares texts by their bytes, whatever collation or type a column has. */
class SqliteWriter extends SqlWriter {
  parameter(value: FilterValue): string {
    return this.placed(typeof value === 'boolean' ? Number(value) : value);
  }

  override equal(column: string, value: FilterValue): string {
    if (typeof value !== 'string') return super.equal(column, value);
    const equal = super.equal(binary(column), value);
    return IS_LIKE_NUMBER.test(value) ? `(${equal} AND ${super.equal(asText(column), value)})` : equal;
  }

  override oneOf(column: string, values: readonly FilterValue[]): string {
    if (typeof values[0] !== 'string') return super.oneOf(column, values);
    const listed = super.oneOf(binary(column), values);
    const areLikeNumbers = values.some((value) => IS_LIKE_NUMBER.test(String(value)));
    return areLikeNumbers ? `(${listed} AND ${super.oneOf(asText(column), values)})` : listed;
  }

  override same(left: string, right: string): string {
    return super.same(asText(left), asText(right));
  }

  ordered(column: string, operator: string, value: FilterValue): string {
    return `${typeof value === 'string' ? asText(column) : column} ${operator} ${this.parameter(value)}`;
  }

  startsWith(column: string, text: string): string {
    return `instr(${column}, ${this.parameter(text)}) = 1`;
  }

  endsWith(column: string, text: string): string {
    const length = Buffer.byteLength(text);
    // A part from -0 on is the whole, and the end of no bytes is NULL.
    if (length === 0) return `${column} IS NOT NULL`;
    const bytes = `CAST(${column} AS BLOB)`;
    return `(length(${bytes}) >= ${length} AND substr(${bytes}, -${length}) = CAST(${this.parameter(text)} AS BLOB))`;
  }

  contains(column: string, text: string): string {
    return `instr(${column}, ${this.parameter(text)}) > 0`;
  }

  hasAny(column: string, values: readonly FilterValue[]): string {
    return `EXISTS (SELECT 1 FROM json_each(${column}) AS item WHERE ${this.#isItem(values)})`;
  }

  hasOnly(column: string, values: readonly FilterValue[]): string {
    // What is NULL has no items, either.
    const other = `SELECT 1 FROM json_each(${column}) AS item WHERE NOT ${this.#isItem(values)}`;
    return `(${column} IS NOT NULL AND NOT EXISTS (${other}))`;
  }

  #isItem(values: readonly FilterValue[]): string {
    const tests = values.map((value) => {
      if (typeof value === 'boolean') return `item.type = '${value}'`;
      if (typeof value === 'string') return `(item.type = 'text' AND item.value = ${this.parameter(value)})`;
      return `(item.type IN ('integer', 'real') AND item.value = ${this.parameter(value)})`;
    });
    return this.any(tests);
  }
}

function binary(column: string): string {
  return `${column} COLLATE BINARY`;
}

/** A column of integers takes such a text for a number: `007` for 7. */
const IS_LIKE_NUMBER = /^[ \t\n\v\f\r+.-]*[0-9]/;

function asText(column: string): string {
  return binary(`CAST(${column} AS TEXT)`);
}

/**
 * Compares texts as texts, whatever type a column has; the index of a column of text serves that. They are equal by their bytes
 * in every collation that PostgreSQL calls deterministic, which all are by default. None of them has the character U+0000.
 */
class PostgresWriter extends SqlWriter {
  parameter(value: FilterValue): string {
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
    const parameter = this.placed(value);
    if (typeof value === 'string' || isInt16(value)) return parameter;
    // As the column's own type, the parameter might be out of its range.
    return `CAST(${parameter} AS ${Number.isSafeInteger(value) ? 'bigint' : 'numeric'})`;
  }

  override equal(column: string, value: FilterValue): string {
    if (typeof value !== 'string') return super.equal(column, value);
    return isStorable(value) ? super.equal(text(column), value) : NEVER;
  }

  override oneOf(column: string, values: readonly FilterValue[]): string {
    if (typeof values[0] !== 'string') return super.oneOf(column, values);
    const storable = values.filter(isStorable);
    return storable.length === 0 ? NEVER : super.oneOf(text(column), storable);
  }

  override same(left: string, right: string): string {
    return super.same(text(left), text(right));
  }

  ordered(column: string, operator: string, value: FilterValue): string {
    if (typeof value !== 'string') return `${column} ${operator} ${this.parameter(value)}`;
    // No text lies between one and its continuation with U+0000.
    const [start = '', ...rest] = value.split('\0');
    const open = operator.startsWith('<') ? '<=' : '>';
    return `${text(column)} COLLATE "C" ${rest.length === 0 ? operator : open} ${this.parameter(start)}`;
  }

  startsWith(column: string, start: string): string {
    return this.#like(column, start, `${escaped(start)}%`);
  }

  endsWith(column: string, end: string): string {
    return this.#like(column, end, `%${escaped(end)}`);
  }

  contains(column: string, part: string): string {
    return this.#like(column, part, `%${escaped(part)}%`);
  }

  #like(column: string, part: string, pattern: string): string {
    return isStorable(part) ? `${text(column)} LIKE ${this.parameter(pattern)}` : NEVER;
  }

  hasAny(column: string, values: readonly FilterValue[], isArray: boolean): string {
    const tests = values
      .filter(isStorable)
      .map((value) =>
        isArray ? this.#array(column, '@>', [value]) : `CAST(${column} AS jsonb) @> ${this.#json([value])}`,
      );
    return this.any(tests);
  }

  hasOnly(column: string, values: readonly FilterValue[], isArray: boolean): string {
    const storable = values.filter(isStorable);
    return isArray ? this.#array(column, '<@', storable) : `CAST(${column} AS jsonb) <@ ${this.#json(storable)}`;
  }

  #json(values: readonly FilterValue[]): string {
    return `CAST(${this.parameter(JSON.stringify(values))} AS jsonb)`;
  }

  /** An array of texts holds no numbers and no truth values. */
  #array(column: string, operator: '@>' | '<@', values: readonly FilterValue[]): string {
    const texts = values.filter((value) => typeof value === 'string');
    if (operator === '@>' && texts.length < values.length) return NEVER;
    const items = texts.map((text) => this.parameter(text)).join(', ');
    return `CAST(${column} AS text[]) ${operator} CAST(ARRAY[${items}] AS text[])`;
  }
}

function text(column: string): string {
  return `CAST(${column} AS text)`;
}

function isStorable(value: FilterValue): boolean {
  return typeof value !== 'string' || !value.includes('\0');
}

function isInt16(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 15;
}

/** A text in LIKE, of which no character stands for others. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Compares texts by their bytes, beside the comparison that an index serves. */
class MysqlWriter extends SqlWriter {
  parameter(value: FilterValue): string {
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
    return this.placed(value);
  }

  override equal(column: string, value: FilterValue): string {
    if (typeof value !== 'string') return super.equal(column, value);
    return `(${super.equal(column, value)} AND ${bytes(column)} = ${bytes(this.parameter(value))})`;
  }

  override oneOf(column: string, values: readonly FilterValue[]): string {
    if (typeof values[0] !== 'string') return super.oneOf(column, values);
    const exact = values.map((value) => bytes(this.parameter(value)));
    const listed = super.oneOf(column, values);
    return `(${listed} AND ${bytes(column)} IN (${exact.join(', ')}))`;
  }

  override same(left: string, right: string): string {
    return `(${super.same(left, right)} AND ${bytes(left)} = ${bytes(right)})`;
  }

  ordered(column: string, operator: string, value: FilterValue): string {
    if (typeof value !== 'string') return `${column} ${operator} ${this.parameter(value)}`;
    return `${bytes(column)} ${operator} ${bytes(this.parameter(value))}`;
  }

  startsWith(column: string, text: string): string {
    return `LOCATE(${bytes(this.parameter(text))}, ${bytes(column)}) = 1`;
  }

  endsWith(column: string, text: string): string {
    return `RIGHT(${bytes(column)}, ${Buffer.byteLength(text)}) = ${bytes(this.parameter(text))}`;
  }

  contains(column: string, text: string): string {
    return `LOCATE(${bytes(this.parameter(text))}, ${bytes(column)}) > 0`;
  }

  hasAny(column: string, values: readonly FilterValue[]): string {
    return this.any(values.flatMap(spellings).map((item) => `JSON_CONTAINS(${column}, ${this.parameter(item)})`));
  }

  hasOnly(column: string, values: readonly FilterValue[]): string {
    return `JSON_CONTAINS(${this.parameter(`[${values.flatMap(spellings).join(',')}]`)}, ${column})`;
  }
}

/** Writes a value as JSON. MariaDB takes a character and the two escapes that stand for it for different texts. */
function spellings(value: FilterValue): string[] {
  const text = JSON.stringify(value);
  const escaped = (written: (digits: string) => string) =>
    text.replace(/[\ud800-\udfff]/g, (half) => `\\u${written(half.charCodeAt(0).toString(16))}`);
  return [...new Set([text, escaped((digits) => digits), escaped((digits) => digits.toUpperCase())])];
}

function bytes(expression: string): string {
  return `CAST(CONVERT(${expression} USING utf8mb4) AS BINARY)`;
}

const WRITERS = { sqlite: SqliteWriter, postgres: PostgresWriter, mysql: MysqlWriter } as const;

import type { Filter, FilterCondition, FilterTest, FilterValue } from './filter.js';
import { type ColumnsOf, columnOf } from './filter-template.js';
import { ServiceError } from './service-error.js';

/** A field of a model, as `prisma.doc.fields.owner` gives it. */
export interface PrismaField {
  readonly name: string;
  readonly typeName: string;
}

/** Fields of one model; a list is a `String[]`, given with `as: 'array'`. */
export type PrismaColumns = ColumnsOf<PrismaField | RequiredField>;

/** A field that is never NULL: Prisma refuses to compare it with `null`. */
export interface RequiredField {
  readonly column: PrismaField;
  readonly as: 'required';
}

/** A `where` of Prisma, or a part of one. */
type Where = Record<string, unknown>;

/** Prisma sends no more parameters at once, and would ask in parts that are no longer the same question. */
const PARAMETERS_MAX = 32_000;
const ALL: Where = {};
const NONE: Where = { OR: [] };

/**
 * Says a filter as a `where` of Prisma for PostgreSQL: `prisma.doc.findMany({ where: filterPrisma(filter, columns, 'postgres') })`.
 * Throws `invalid_config` for an attribute that has no field, and for what Prisma cannot say exactly: nothing is left out.
 */
export function filterPrisma<W extends object>(filter: Filter, columns: PrismaColumns, _dialect: 'postgres'): W {
  if (filter.kind !== 'some') return (filter.kind === 'all' ? ALL : NONE) as W;
  const count = parametersOf(filter.condition);
  if (count > PARAMETERS_MAX)
    throw new ServiceError(
      'invalid_config',
      `The filter has ${count} values, of which Prisma takes ${PARAMETERS_MAX}: ask for it in parts, with a limit.`,
    );
  return new WhereWriter(columns).condition(filter.condition) as W;
}

function parametersOf(condition: FilterCondition): number {
  if ('args' in condition) return condition.args.reduce((sum, arg) => sum + parametersOf(arg), 0);
  if (condition.op === 'not') return parametersOf(condition.arg);
  return 'values' in condition ? condition.values.length : 1;
}

class WhereWriter {
  constructor(private readonly columns: PrismaColumns) {}

  condition(condition: FilterCondition): Where {
    switch (condition.op) {
      case 'and':
      case 'or':
        return this.#joined(condition.op, condition.args);
      case 'not': {
        if (condition.arg.op === 'present') return this.#absent(condition.arg.attribute);
        const test = this.#test(condition.arg);
        return test === NONE ? ALL : test === ALL ? NONE : { NOT: test };
      }
      default:
        return this.#test(condition);
    }
  }

  /** Leaves out all and none, which mean nothing within others. */
  #joined(op: 'and' | 'or', args: readonly FilterCondition[]): Where {
    const [settling, neutral] = op === 'and' ? [NONE, ALL] : [ALL, NONE];
    const parts = args.map((arg) => this.condition(arg)).filter((part) => part !== neutral);
    if (parts.includes(settling)) return settling;
    return parts.length === 0 ? neutral : { [op === 'and' ? 'AND' : 'OR']: parts };
  }

  #test(test: FilterTest): Where {
    if (test.op === 'present') return this.#present(test.attribute);
    const { field, isArray } = this.#column(test.attribute);
    const { typeName: type } = field;
    const said = (test: Where) => ({ [field.name]: test });
    const unsayable = () => notSaid(test, field);
    if (isArray) {
      if (type !== 'String') throw unsayable();
      if (test.op === 'hasOnly' && test.values.length === 0) return said({ isEmpty: true });
      if (test.op !== 'hasAny') throw unsayable();
      const texts = test.values.filter(isStorable);
      return texts.length === 0 ? NONE : said({ hasSome: texts });
    }
    const isNumber = type in NUMBERS;
    switch (test.op) {
      case 'eq':
      case 'in': {
        const values = 'value' in test ? [test.value] : test.values;
        if (!values.every((value) => typeof value === (isNumber ? 'number' : TYPES[type]))) throw unsayable();
        const sent = isNumber
          ? values.flatMap((value) => exactly(type, value as number))
          : values.filter((value) => typeof value === 'boolean' || isStorable(value));
        if (sent.length === 0) return NONE;
        // Of truth values, Prisma takes no list.
        if (type === 'Boolean') return { OR: sent.map((value) => said({ equals: value })) };
        return said(sent.length === 1 ? { equals: sent[0] } : { in: sent });
      }
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        // Texts would be put in the order of the column's collation.
        if (!isNumber || typeof test.value !== 'number') throw unsayable();
        return this.#ordered(test.op, test.attribute, type, test.value);
      case 'startsWith':
      case 'endsWith':
      case 'contains':
        if (type !== 'String') throw unsayable();
        return isStorable(test.value) ? said({ [test.op]: escaped(test.value) }) : NONE;
      case 'same':
      case 'less':
      case 'atMost': {
        const { field: other, isArray: isOtherArray } = this.#column(test.other);
        const fits = other.typeName === type && !isOtherArray && (test.op === 'same' ? type === 'String' : isNumber);
        if (!fits) throw unsayable();
        return said({ [{ same: 'equals', less: 'lt', atMost: 'lte' }[test.op]]: other });
      }
      default:
        throw unsayable();
    }
  }

  /** For whole numbers the bound is the next one, as far as the column has it. */
  #ordered(op: 'lt' | 'le' | 'gt' | 'ge', attribute: string, type: string, value: number): Where {
    const { field } = this.#column(attribute);
    const operator = { lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' }[op];
    const whole = NUMBERS[type];
    if (whole === undefined) return { [field.name]: { [operator]: fraction(type, value) } };
    const bound = op === 'lt' || op === 'ge' ? Math.ceil(value) : Math.floor(value);
    if (bound > whole.max) return op === 'lt' || op === 'le' ? this.#present(attribute) : NONE;
    if (bound < whole.min) return op === 'lt' || op === 'le' ? NONE : this.#present(attribute);
    return { [field.name]: { [operator]: whole.as(bound) } };
  }

  #present(attribute: string): Where {
    const { field, required } = this.#column(attribute);
    return required ? ALL : { NOT: { [field.name]: { equals: null } } };
  }

  #absent(attribute: string): Where {
    const { field, required } = this.#column(attribute);
    return required ? NONE : { [field.name]: { equals: null } };
  }

  /** Each row has a name. */
  #column(attribute: string): { field: PrismaField; isArray: boolean; required: boolean } {
    const { column, isArray } = columnOf(this.columns, attribute);
    if ('as' in column) return { field: column.column, isArray, required: true };
    return { field: column, isArray, required: attribute === 'name' };
  }
}

const TYPES: { readonly [type: string]: string } = { String: 'string', Boolean: 'boolean' };

interface WholeNumbers {
  readonly min: number;
  readonly max: number;
  readonly as: (value: number) => number | bigint;
}

/** The types of numbers; for those of whole numbers, which they have. */
const NUMBERS: { readonly [type: string]: WholeNumbers | undefined } = {
  Float: undefined,
  Decimal: undefined,
  Int: { min: -(2 ** 31), max: 2 ** 31 - 1, as: (value) => value },
  // The greatest number below 2 to the power of 63.
  BigInt: { min: -(2 ** 63), max: 2 ** 63 - 1024, as: BigInt },
};

/** The number as the column has it; none if it cannot. */
function exactly(type: string, value: number): (number | bigint | string)[] {
  const whole = NUMBERS[type];
  if (whole === undefined) return [fraction(type, value)];
  return Number.isInteger(value) && value >= whole.min && value <= whole.max ? [whole.as(value)] : [];
}

/** Prisma rounds a number that it makes a decimal of, and leaves a text as it is. */
function fraction(type: string, value: number): number | string {
  return type === 'Decimal' ? String(value) : value;
}

/** No text of PostgreSQL has the character U+0000. */
function isStorable(value: FilterValue): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

/** Prisma hands a text to LIKE as it is. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function notSaid({ op, attribute }: FilterTest, { name, typeName }: PrismaField): ServiceError {
  return new ServiceError(
    'invalid_config',
    `The filter asks "${op}" of "${attribute}", which Prisma cannot say exactly of the field "${name}" of the type ${typeName}: take filterTemplate and Prisma.sql for this query.`,
  );
}

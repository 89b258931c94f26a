import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { FilterCondition, FilterTest } from '@authz-service/sdk';
import { filterPrisma, type PrismaColumns, type PrismaField } from '@authz-service/sdk/prisma';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saying, TESTS, valueIn } from '../filter/each-test.js';
import { type Row, selects } from '../naive/filtered-rows.js';
import { hasPrisma, PrismaDatabase } from './prisma-database.js';

const isWhole = (value: Json) => Number.isSafeInteger(value);
const isInt32 = (value: Json) => isWhole(value) && Number(value) === (Number(value) | 0);
/** The columns of numbers, each with the values that it has. */
const NUMBERS: readonly [string, (value: Json) => boolean][] = [
  ['n', () => true],
  ['decimal', () => true],
  ['whole', isInt32],
  ['long', isWhole],
];

const hasNul = (value: Json) => JSON.stringify(value).includes('\\u0000');
const isHeld = (row: Row, isNumber: (value: Json) => boolean) => {
  const { n, l } = row.properties;
  const texts = [row.name, ...Object.values(row.properties), ...Object.values(row.parents)];
  if (texts.some((value) => hasNul(value as Json))) return false;
  if (Array.isArray(l) && !l.every((item) => typeof item === 'string')) return false;
  return n === undefined || isNumber(n as Json);
};

/** Tells tests that Prisma cannot say, which are refused. */
const isRefused = ({ op, ...test }: FilterTest) =>
  (op === 'hasOnly' && 'values' in test && test.values.length > 0) ||
  (['lt', 'le', 'gt', 'ge'].includes(op) && 'value' in test && typeof test.value === 'string');

describe.skipIf(!hasPrisma)('filters through Prisma', () => {
  let database: PrismaDatabase;
  beforeAll(async () => {
    database = await PrismaDatabase.start();
  });
  afterAll(() => database?.stop());

  const columns = (number = 'n'): PrismaColumns => {
    const { fields } = database;
    const of = (name: string) => fields[name] as PrismaField;
    const properties = {
      n: of(number),
      k: of('k'),
      t: of('t'),
      u: of('u'),
      b: of('b'),
      l: { column: of('l'), as: 'array' } as const,
    };
    return { name: of('name'), properties, parents: { up: of('up') } };
  };
  const rowOf = ({ name, properties, parents }: Row): JsonObject => {
    const { n, ...others } = properties;
    const numbers = NUMBERS.flatMap(([column, holds]) => (n !== undefined && holds(n) ? [[column, n]] : []));
    return { name, ...others, ...Object.fromEntries(numbers), ...parents, needed: 'x' };
  };

  it.each(TESTS)('says tests of %s as docs/filters.md means them, or refuses them', async (_, tests, rows) => {
    const wrong: unknown[] = [];
    const isOfNumbers = tests.some(({ attribute }) => attribute === 'properties.n');
    for (const [number, isNumber] of isOfNumbers ? NUMBERS : NUMBERS.slice(0, 1)) {
      const held = rows.filter((row) => isHeld(row, isNumber));
      await database.fill(held.map(rowOf));
      for (const test of tests.filter((one) => number === 'n' || !('other' in one)))
        for (const condition of saying(test)) {
          const say = () => filterPrisma({ kind: 'some', condition }, columns(number), 'postgres');
          if (isRefused(test)) {
            expect(say).toThrow(`which Prisma cannot say exactly of the field "${test.attribute.split('.').at(-1)}"`);
            continue;
          }
          const wanted = held.flatMap((row, at) => (selects(condition, valueIn(row)) ? [at] : []));
          const found = await database.selected(say()).catch((error: Error) => error.message);
          if (JSON.stringify(found) !== JSON.stringify(wanted))
            wrong.push({ number, condition, where: say(), wanted: wanted.map((at) => held[at]), found });
        }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it('says all rows, and none', async () => {
    await database.fill([{ name: 'a', needed: 'x' }]);
    expect(await database.selected(filterPrisma({ kind: 'all' }, {}, 'postgres'))).toEqual([0]);
    expect(await database.selected(filterPrisma({ kind: 'none' }, {}, 'postgres'))).toEqual([]);
  });

  it('takes a field that is never NULL', async () => {
    await database.fill([{ name: 'a', needed: 'x' }]);
    const needed = { properties: { t: { column: database.fields.needed as PrismaField, as: 'required' } as const } };
    const present: FilterTest = { op: 'present', attribute: 'properties.t' };
    const selected = (condition: FilterCondition) =>
      database.selected(filterPrisma({ kind: 'some', condition }, needed, 'postgres'));
    expect(await selected(present)).toEqual([0]);
    expect(await selected({ op: 'not', arg: present })).toEqual([]);
    expect(
      await selected({
        op: 'or',
        args: [
          { op: 'not', arg: present },
          { op: 'eq', attribute: 'properties.t', value: 'x' },
        ],
      }),
    ).toEqual([0]);
  });

  it.each<[string, FilterTest]>([
    ['moment', { op: 'eq', attribute: 'properties.t', value: '2026-01-02T03:04:05Z' }],
    ['json', { op: 'eq', attribute: 'properties.t', value: 'a' }],
    ['json', { op: 'hasAny', attribute: 'properties.t', values: ['a'] }],
    ['n', { op: 'eq', attribute: 'properties.t', value: 'a' }],
    ['t', { op: 'eq', attribute: 'properties.t', value: 1 }],
    ['b', { op: 'startsWith', attribute: 'properties.t', value: 'a' }],
    ['whole', { op: 'less', attribute: 'properties.t', other: 'properties.n' }],
  ])('refuses a field that is another type: %s', (field, condition) => {
    const { fields } = database;
    const properties = { t: fields[field] as PrismaField, n: fields.n as PrismaField };
    expect(() => filterPrisma({ kind: 'some', condition }, { properties }, 'postgres')).toThrow(
      `which Prisma cannot say exactly of the field "${field}"`,
    );
  });

  it('refuses an attribute without a field, and more values than one query takes', () => {
    const condition: FilterCondition = {
      op: 'in',
      attribute: 'properties.t',
      values: Array.from({ length: 32_001 }, (_, at) => `${at}`),
    };
    expect(() => filterPrisma({ kind: 'some', condition }, {}, 'postgres')).toThrow('has 32001 values');
    const some: FilterCondition = { op: 'eq', attribute: 'properties.t', value: 'a' };
    expect(() => filterPrisma({ kind: 'some', condition: some }, {}, 'postgres')).toThrow(
      'to which no column is given',
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishedFilter } from './filter-condition.js';
import { ALWAYS, and, columnsOf, inSet, NEVER, not, or, passes, type RowCondition } from './row-condition.js';
import { MISSING, noneOf, oneOf, PRESENT, type Scalar } from './value-set.js';

type Row = Readonly<Record<string, Scalar | undefined>>;

const TESTS = [
  { op: 'lt', column: 'a', value: 2 },
  { op: 'lt', column: 'b', value: 2 },
  { op: 'le', column: 'a', other: 'b' },
] as const;

/** Written so that nothing is simplified. */
type Plain =
  | { op: 'leaf'; condition: RowCondition; holds: (row: Row) => boolean }
  | { op: 'and' | 'or'; parts: Plain[] }
  | { op: 'not'; part: Plain };

const leaf = (condition: RowCondition, holds: (row: Row) => boolean): Plain => ({ op: 'leaf', condition, holds });
const column = fc.constantFrom('a', 'b');
const values: fc.Arbitrary<Scalar[]> = fc.uniqueArray(fc.constantFrom(1, 2, 3), { maxLength: 2 });
const leaves = fc.oneof(
  fc
    .tuple(column, values)
    .map(([name, list]) =>
      leaf(inSet(name, oneOf(list)), (row) => row[name] !== undefined && list.includes(row[name])),
    ),
  fc
    .tuple(column, values)
    .map(([name, list]) =>
      leaf(inSet(name, noneOf(list)), (row) => row[name] !== undefined && !list.includes(row[name])),
    ),
  column.map((name) => leaf(inSet(name, MISSING), (row) => row[name] === undefined)),
  fc.boolean().map((truth) => leaf(inSet('c', oneOf([truth])), (row) => row.c === truth)),
  fc.constantFrom(...TESTS).map((test) =>
    leaf(passes(test), (row) => {
      const [left, right] = columnsOf(test).map((name) => row[name]);
      const other = 'other' in test ? right : test.value;
      if (left === undefined || other === undefined) return false;
      return test.op === 'lt' ? left < other : left <= other;
    }),
  ),
);
const { plain } = fc.letrec<{ plain: Plain }>((tie) => ({
  plain: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.record({ op: fc.constantFrom('and' as const, 'or' as const), parts: fc.array(tie('plain'), { maxLength: 3 }) }),
    fc.record({ op: fc.constant('not' as const), part: tie('plain') }),
  ),
}));

function holds(condition: Plain, row: Row): boolean {
  if (condition.op === 'leaf') return condition.holds(row);
  if (condition.op === 'not') return !holds(condition.part, row);
  return condition.parts[condition.op === 'and' ? 'every' : 'some']((part) => holds(part, row));
}

function made(condition: Plain): RowCondition {
  if (condition.op === 'leaf') return condition.condition;
  if (condition.op === 'not') return not(made(condition.part));
  return (condition.op === 'and' ? and : or)(condition.parts.map(made));
}

function selects(condition: RowCondition, row: Row): boolean {
  switch (condition.op) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'set': {
      const value = row[condition.column];
      const { values: list, others, missing } = condition.set;
      return value === undefined ? missing : list.has(value) !== others;
    }
    case 'test': {
      const { test } = condition;
      const [left, right] = columnsOf(test).map((name) => row[name]);
      const other = test.other === undefined ? test.value : right;
      if (left === undefined || other === undefined) return false;
      return (test.op === 'lt' ? left < other : left <= other) === condition.passes;
    }
    default:
      return condition.parts[condition.op === 'and' ? 'every' : 'some']((part) => selects(part, row));
  }
}

const NUMBERS = [undefined, 1, 2, 3, 4];
const ROWS: Row[] = NUMBERS.flatMap((a) => NUMBERS.flatMap((b) => [undefined, true, false].map((c) => ({ a, b, c }))));

describe('a condition on rows', () => {
  it('means the same, however it is shortened', () => {
    fc.assert(
      fc.property(plain, (condition) => {
        const short = made(condition);
        for (const row of ROWS)
          expect({ row, short, is: selects(short, row) }).toEqual({ row, short, is: holds(condition, row) });
      }),
    );
  });

  const isProd = inSet('t', oneOf(['prod']));
  const there = inSet('t', PRESENT);
  const mfa = inSet('m', oneOf([true]));
  const x = inSet('x', oneOf([1]));

  it.each<[string, RowCondition, RowCondition]>([
    [
      'what another part says already',
      and([or([mfa, not(isProd)]), inSet('t', noneOf(['prod']))]),
      inSet('t', noneOf(['prod'])),
    ],
    ['a part beside the rest of it', or([x, and([x, mfa])]), x],
    ['what is excluded beside it', or([x, and([not(x), mfa])]), or([x, mfa])],
    ['what can never hold', and([isProd, inSet('t', oneOf(['test']))]), NEVER],
    ['what always holds', or([isProd, not(isProd)]), ALWAYS],
    ['presence beside a value', and([isProd, there]), isProd],
    ['what two parts have in common', and([or([x, mfa]), or([x, isProd])]), or([x, and([mfa, isProd])])],
  ])('leaves out %s', (_, long, short) => {
    expect(publishedFilter(long)).toEqual(publishedFilter(short));
  });

  it('keeps parts apart whose columns have names like conditions', () => {
    const one = (column: string) => inSet(column, oneOf([1]));
    const three = and([one('a'), one('b'), one('c')]);
    const two = and([one('a false false [1] b'), one('c')]);
    for (const parts of [
      [three, two],
      [two, three],
    ]) {
      expect(selects(or(parts), { a: 1, b: 1, c: 1 })).toBe(true);
      expect(selects(and(parts.map(not)), { 'a false false [1] b': 1, c: 1 })).toBe(false);
    }
  });

  it('says of what has no value by itself', () => {
    expect(publishedFilter(not(isProd))).toEqual({
      kind: 'some',
      condition: {
        op: 'or',
        args: [
          { op: 'not', arg: { op: 'eq', attribute: 't', value: 'prod' } },
          { op: 'not', arg: { op: 'present', attribute: 't' } },
        ],
      },
    });
  });
});

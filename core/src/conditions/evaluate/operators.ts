import { isExact } from '../../json/exact-number.js';
import { ConditionFault } from '../syntax/parse.js';
import { Failure, type Trouble, worse } from '../values/outcome.js';
import {
  ANY,
  BOOL,
  comparable,
  DURATION,
  INT,
  inWords,
  LIST,
  mayBe,
  NUMBER,
  STRING,
  type StaticType,
  TIMESTAMP,
} from '../values/static-type.js';
import {
  equal,
  equalStrings,
  includes,
  isMap,
  isTrouble,
  Moment,
  mayBuildList,
  mayBuildString,
  momentAt,
  type Result,
  Span,
  type Value,
  type ValueKind,
} from '../values/value.js';
import type { Work } from '../values/work.js';
import { mismatch, type Node, type Run, refused, sizeOf } from './node.js';

type Arithmetic = '+' | '-' | '*' | '/' | '%';
type Comparison = '<' | '<=' | '>' | '>=';

const NUMBERS = ['number', 'number', NUMBER] as const;
const ARITHMETIC: { readonly [O in Arithmetic]: readonly (readonly [ValueKind, ValueKind, StaticType])[] } = {
  '+': [
    NUMBERS,
    ['string', 'string', STRING],
    ['list', 'list', LIST],
    ['timestamp', 'duration', TIMESTAMP],
    ['duration', 'timestamp', TIMESTAMP],
    ['duration', 'duration', DURATION],
  ],
  '-': [
    NUMBERS,
    ['timestamp', 'timestamp', DURATION],
    ['timestamp', 'duration', TIMESTAMP],
    ['duration', 'duration', DURATION],
  ],
  '*': [NUMBERS],
  '/': [NUMBERS],
  '%': [NUMBERS],
};
const ORDERED: readonly ValueKind[] = ['number', 'string', 'boolean', 'timestamp', 'duration'];

/** `+ - * / %` on numbers, and sums and differences of strings, lists, timestamps and durations. */
export function arithmetic(op: Arithmetic, left: Node, right: Node, offset: number): Node {
  const fits = ARITHMETIC[op].filter(([first, second]) => mayBe(left.type, first) && mayBe(right.type, second));
  const [only] = fits;
  if (only === undefined) throw mismatch(`"${op}"`, [left, right], offset);
  const whole = left.type === INT && right.type === INT;
  const type = whole ? INT : fits.length === 1 ? only[2] : ANY;
  const run: Run = (scope) => {
    const first = left.run(scope);
    const second = right.run(scope);
    if (typeof first === 'number' && typeof second === 'number') {
      // The residual of numbers of very different size is found bit by bit.
      if (op === '%') scope.charge(64);
      return onNumbers(op, first, second, whole);
    }
    const value = isTrouble(first) || isTrouble(second) ? undefined : onOthers(op, first, second, scope);
    return value === undefined ? refused(`"${op}"`, [left, right], [first, second]) : value;
  };
  return { type, run, label: '', offset, size: sizeOf([left, right]) };
}

/** A result that a double does not hold exactly is a failure, since a comparison with it would mean nothing. */
function onNumbers(op: Arithmetic, left: number, right: number, whole: boolean): Result {
  if (right === 0 && (op === '/' || op === '%')) return new Failure('division by zero');
  const value = compute(op, left, right);
  if (whole) return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : new Failure('integer overflow');
  return isExact(value) ? value : new Failure('number overflow');
}

function compute(op: Arithmetic, left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
  }
}

function onOthers(op: Arithmetic, left: Value, right: Value, work: Work): Result | undefined {
  if (op === '+') {
    if (typeof left === 'string' && typeof right === 'string')
      return mayBuildString(left.length + right.length, work)
        ? left + right
        : new Failure('"+" makes too long a string');
    if (Array.isArray(left) && Array.isArray(right))
      return mayBuildList(left.length + right.length, work)
        ? [...left, ...right]
        : new Failure('"+" makes too long a list');
    if (left instanceof Span && right instanceof Moment) return momentAt(right.ms + left.ms);
  }
  if ((op !== '+' && op !== '-') || !(right instanceof Span || right instanceof Moment)) return undefined;
  const ms = op === '+' ? right.ms : -right.ms;
  if (right instanceof Moment) return op === '-' && left instanceof Moment ? new Span(left.ms + ms) : undefined;
  if (left instanceof Moment) return momentAt(left.ms + ms);
  return left instanceof Span ? new Span(left.ms + ms) : undefined;
}

/** `< <= > >=` between two values of one ordered kind; strings compare by UTF-16 code units. */
export function comparison(op: Comparison, left: Node, right: Node, offset: number): Node {
  if (!ORDERED.some((kind) => mayBe(left.type, kind) && mayBe(right.type, kind)))
    throw mismatch(`"${op}"`, [left, right], offset);
  const test = TESTS[op];
  const run: Run = (scope) => {
    const first = left.run(scope);
    const second = right.run(scope);
    if (typeof first === 'number' && typeof second === 'number') return test(first, second);
    if (typeof first === 'string' && typeof second === 'string') {
      scope.charge(Math.min(first.length, second.length) >> 6);
      return test(first, second);
    }
    if (typeof first === 'boolean' && typeof second === 'boolean') return test(Number(first), Number(second));
    if (first instanceof Moment && second instanceof Moment) return test(first.ms, second.ms);
    if (first instanceof Span && second instanceof Span) return test(first.ms, second.ms);
    return refused(`"${op}"`, [left, right], [first, second]);
  };
  return { type: BOOL, run, label: '', offset, size: sizeOf([left, right]) };
}

const TESTS: { readonly [O in Comparison]: <T extends number | string>(left: T, right: T) => boolean } = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** `==` and `!=`: by content; values of different kinds are unequal. */
export function equality(op: '==' | '!=', left: Node, right: Node, offset: number): Node {
  if (!comparable(left.type, right.type)) throw mismatch(`"${op}"`, [left, right], offset);
  const wanted = op === '==';
  const run: Run = (scope) => {
    const first = left.run(scope);
    const second = right.run(scope);
    if (typeof first !== 'object' && typeof second !== 'object')
      return (
        (typeof first === 'string' && typeof second === 'string'
          ? equalStrings(first, second, scope)
          : first === second) === wanted
      );
    if (isTrouble(first) || isTrouble(second)) return refused(`"${op}"`, [left, right], [first, second]);
    return equal(first, second, scope) === wanted;
  };
  return { type: BOOL, run, label: '', offset, size: sizeOf([left, right]) };
}

/** `in`: an item of a list, a key of a map. */
export function membership(left: Node, right: Node, offset: number): Node {
  const list = mayBe(right.type, 'list') && comparable(left.type, right.type.item ?? ANY);
  const map = mayBe(right.type, 'map') && mayBe(left.type, 'string');
  if (!list && !map) throw mismatch('"in"', [left, right], offset);
  const set = constantSet(right.constant);
  const run: Run = (scope) => {
    const value = left.run(scope);
    if (set !== undefined && typeof value !== 'object') return set.has(value);
    const whole = right.run(scope);
    if (isTrouble(value) || isTrouble(whole)) return refused('"in"', [left, right], [value, whole]);
    if (Array.isArray(whole)) return includes(whole, value, scope);
    return typeof value === 'string' && isMap(whole)
      ? Object.hasOwn(whole, value)
      : refused('"in"', [left, right], [value, whole]);
  };
  return { type: BOOL, run, label: '', offset, size: sizeOf([left, right]) };
}

function constantSet(value: Value | undefined): ReadonlySet<Value> | undefined {
  return Array.isArray(value) && value.length > 8 ? new Set(value) : undefined;
}

/** A chain of `&&` or of `||`: the settling value wins over absent and failed operands, wherever it stands. */
export function logical(op: '&&' | '||', parts: readonly Node[], offset: number): Node {
  for (const part of parts) if (!mayBe(part.type, 'boolean')) throw mismatch(`"${op}"`, [part], part.offset);
  const settles = op === '||';
  const runs = parts.map((part) => part.run);
  const run: Run = (scope) => {
    let trouble: Trouble | undefined;
    for (let at = 0; at < runs.length; at++) {
      const value = (runs[at] as Run)(scope);
      if (value === settles) return settles;
      if (value !== !settles) trouble = worse(trouble, refused(`"${op}"`, [parts[at] as Node], [value]));
    }
    return trouble ?? !settles;
  };
  return { type: BOOL, run, label: '', offset, size: sizeOf(parts) };
}

export function not(part: Node, offset: number): Node {
  if (!mayBe(part.type, 'boolean')) throw mismatch('"!"', [part], offset);
  const run: Run = (scope) => {
    const value = part.run(scope);
    return typeof value === 'boolean' ? !value : refused('"!"', [part], [value]);
  };
  return { type: BOOL, run, label: '', offset, size: part.size + 1 };
}

export function negative(part: Node, offset: number): Node {
  if (!mayBe(part.type, 'number')) throw mismatch('"-"', [part], offset);
  const run: Run = (scope) => {
    const value = part.run(scope);
    return typeof value === 'number' ? -value : refused('"-"', [part], [value]);
  };
  return { type: part.type === INT ? INT : NUMBER, run, label: '', offset, size: part.size + 1 };
}

/** `test ? yes : no`. */
export function choice(test: Node, yes: Node, no: Node, type: StaticType, offset: number): Node {
  if (!mayBe(test.type, 'boolean'))
    throw new ConditionFault(`"?" chooses by true or false, not by ${inWords(test.type.kind)}`, offset);
  const run: Run = (scope) => {
    const value = test.run(scope);
    if (value === true) return yes.run(scope);
    return value === false ? no.run(scope) : refused('"?"', [test], [value]);
  };
  return { type, run, label: '', offset, size: sizeOf([test, yes, no]) };
}

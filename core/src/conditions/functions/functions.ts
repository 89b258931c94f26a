import { inexactText } from '../../json/exact-number.js';
import { parseMoment, parseSpan } from '../values/moment.js';
import { Failure } from '../values/outcome.js';
import { compilePattern, dynamicPattern } from '../values/pattern.js';
import type { Scope } from '../values/scope.js';
import {
  ANY,
  BOOL,
  DURATION,
  INT,
  NUMBER,
  STRING,
  STRING_LIST,
  type StaticType,
  TIMESTAMP,
  TYPE,
} from '../values/static-type.js';
import {
  isMap,
  keysOf,
  kindOf,
  Moment,
  mayBuildList,
  mayBuildString,
  momentAt,
  type Result,
  Span,
  TypeName,
  type Value,
  type ValueKind,
  type ValueMap,
} from '../values/value.js';
import type { Work } from '../values/work.js';
import { contextFunctions } from './context-functions.js';
import { timeMethods } from './time-functions.js';

/** One way to call a function. */
export interface Overload {
  /** The kinds of its arguments; for a method, the receiver's comes first. */
  readonly takes: readonly (ValueKind | 'any')[];
  readonly gives: StaticType;
  // biome-ignore lint/suspicious/noExplicitAny: `takes` says the kinds, which the caller has checked.
  readonly run: (scope: Scope, first: any, second: any, third: any) => Result;
  /** It reads more than its arguments: called with literals it is no literal. */
  readonly live?: true;
  /** The first format of bundles whose readers have it, if that is not format 1. */
  readonly since?: 2 | 3;
  /** Prepares a call whose second argument is a literal, once; a failure is a fault of the condition. */
  readonly prepare?: (second: Value) => Failure | ((work: Work, first: Value) => Result);
}

/** The steps of a call that creates an object or reads a string of bounded length. */
const CALL_STEPS = 16;
/** The steps for formatting or parsing a number or a timestamp. */
const TEXT_STEPS = 64;
/** From this length on, V8's search for a substring may compare all of it at every position. */
const PART_MIN = 250;

/** Charges for searching a substring from the start. */
function chargeSearch(work: Work, text: string, part: string): void {
  work.charge((text.length >> 2) + (part.length > PART_MIN ? Math.ceil((text.length * part.length) / 64) : 0));
}

function overload(takes: Overload['takes'], gives: StaticType, run: Overload['run']): Overload {
  return { takes, gives, run };
}

const text = (run: (value: string) => Result) =>
  overload(['string'], STRING, (work, value: string) => {
    work.charge(value.length >> 2);
    return run(value);
  });
const textTest = (run: (value: string, part: string) => boolean) =>
  overload(['string', 'string'], BOOL, (work, value: string, part: string) => {
    work.charge(part.length >> 3);
    return run(value, part);
  });

/** Counts code points, as CEL does, not UTF-16 units. */
function codePoints(value: string, work: Work): number {
  work.charge(value.length >> 1);
  let count = 0;
  for (const _ of value) count++;
  return count;
}

const size: readonly Overload[] = [
  overload(['string'], INT, (work, value: string) => codePoints(value, work)),
  overload(['list'], INT, (_, value: readonly Value[]) => value.length),
  overload(['map'], INT, (work, value: ValueMap) => {
    const { length } = keysOf(value);
    work.charge(length >> 2);
    return length;
  }),
];

const matches: Overload = {
  takes: ['string', 'string'],
  gives: BOOL,
  run: (work, value: string, source: string) => {
    const pattern = dynamicPattern(source, work);
    return pattern instanceof Failure ? pattern : pattern.test(value, work);
  },
  prepare: (source) => {
    const pattern = compilePattern(source as string);
    return pattern instanceof Failure ? pattern : (work, value) => pattern.test(value as string, work);
  },
};

/** `from` and `to` count UTF-16 units. */
function substring(value: string, from: number, to: number): Result {
  const inside = Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= value.length;
  return inside ? value.slice(from, to) : new Failure('substring() lies outside the string');
}

function split(work: Work, value: string, separator: string): Result {
  chargeSearch(work, value, separator);
  const parts = value.split(separator);
  return mayBuildList(parts.length, work) ? parts : new Failure('split() makes too long a list');
}

function join(work: Work, list: readonly Value[], separator: string): Result {
  work.charge(list.length);
  let length = separator.length * list.length;
  for (const item of list) {
    if (typeof item !== 'string') return new Failure('join() takes a list of strings');
    length += item.length;
  }
  return mayBuildString(length, work) ? list.join(separator) : new Failure('join() makes too long a string');
}

function toNumber(work: Work, value: string): Result {
  work.charge(TEXT_STEPS);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value.slice(0, 64)))
    return new Failure('double() takes the text of a number');
  const number = Number(value);
  return inexactText(value, number) === undefined ? number : new Failure('number overflow');
}

function toInt(value: number): Result {
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole : new Failure('integer overflow');
}

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

const TYPE_WORDS: { readonly [K in ValueKind]: string } = {
  null: 'null_type',
  boolean: 'bool',
  number: 'double',
  string: 'string',
  list: 'list',
  map: 'map',
  timestamp: 'timestamp',
  duration: 'duration',
  type: 'type',
};

const TYPES = Object.fromEntries(Object.entries(TYPE_WORDS).map(([kind, word]) => [kind, new TypeName(word)])) as {
  readonly [K in ValueKind]: TypeName;
};

/** The names of types, for comparison with `type(x)`. Numbers of JSON are doubles. */
export const typeNames: readonly string[] = Object.values(TYPE_WORDS);

/** Converts a value that is not a string to one. */
const written =
  <T>(write: (value: T) => string): Overload['run'] =>
  (work, value: T) => {
    work.charge(TEXT_STEPS);
    return write(value);
  };

/** Changes runs of ASCII letters; a callback for each of them costs much more than the letters do. */
const ofAscii = (letters: RegExp, change: (letters: string) => string) =>
  overload(['string'], STRING, (work, value: string) => {
    work.charge(value.length * 2);
    return value.replace(letters, change);
  });

const identity = (takes: ValueKind, gives: StaticType) => overload([takes], gives, (_, value: Value) => value);

/** Functions called as `name(…)`. */
export const functions: ReadonlyMap<string, readonly Overload[]> = new Map<string, readonly Overload[]>([
  ['size', size],
  ['dyn', [overload(['any'], ANY, (_, value: Value) => value)]],
  ['type', [overload(['any'], TYPE, (_, value: Value) => TYPES[kindOf(value)])]],
  [
    'int',
    [
      overload(['number'], INT, (_, value: number) => toInt(value)),
      overload(['string'], INT, (work, value: string) => {
        work.charge(CALL_STEPS);
        return /^-?\d{1,17}$/.test(value) ? toInt(Number(value)) : new Failure('int() takes the text of an integer');
      }),
      overload(['timestamp'], INT, (_, value: Moment) => Math.floor(value.ms / 1000)),
    ],
  ],
  ['double', [identity('number', NUMBER), overload(['string'], NUMBER, toNumber)]],
  [
    'bool',
    [
      identity('boolean', BOOL),
      overload(
        ['string'],
        BOOL,
        (_, value: string) => TRUTH.get(value) ?? new Failure('bool() takes "true" or "false"'),
      ),
    ],
  ],
  [
    'string',
    [
      identity('string', STRING),
      overload(
        ['number'],
        STRING,
        written((value: number) => String(value)),
      ),
      overload(['boolean'], STRING, (_, value: boolean) => String(value)),
      overload(
        ['timestamp'],
        STRING,
        written((value: Moment) => new Date(value.ms).toISOString()),
      ),
      overload(
        ['duration'],
        STRING,
        written((value: Span) => `${value.ms / 1000}s`),
      ),
    ],
  ],
  [
    'timestamp',
    [
      identity('timestamp', TIMESTAMP),
      overload(['string'], TIMESTAMP, (work, value: string) => {
        work.charge(TEXT_STEPS);
        const ms = parseMoment(value);
        return ms === undefined
          ? new Failure('timestamp() takes an RFC 3339 date and time with a zone, in the years 1 to 9999')
          : new Moment(ms);
      }),
      overload(['number'], TIMESTAMP, (_, value: number) => momentAt(value * 1000)),
    ],
  ],
  [
    'duration',
    [
      identity('duration', DURATION),
      overload(['string'], DURATION, (work, value: string) => {
        work.charge(TEXT_STEPS + Math.min(value.length, 64));
        const ms = parseSpan(value);
        return ms === undefined ? new Failure('duration() takes text like "1h30m"') : new Span(ms);
      }),
    ],
  ],
  ...contextFunctions,
]);

/** Functions called as `value.name(…)`. */
export const methods: ReadonlyMap<string, readonly Overload[]> = new Map<string, readonly Overload[]>([
  ['size', size],
  ['matches', [matches]],
  [
    'contains',
    [
      overload(['string', 'string'], BOOL, (work, value: string, part: string) => {
        chargeSearch(work, value, part);
        return value.includes(part);
      }),
    ],
  ],
  ['startsWith', [textTest((value, part) => value.startsWith(part))]],
  ['endsWith', [textTest((value, part) => value.endsWith(part))]],
  ['lowerAscii', [ofAscii(/[A-Z]+/g, (letters) => letters.toLowerCase())]],
  ['upperAscii', [ofAscii(/[a-z]+/g, (letters) => letters.toUpperCase())]],
  ['trim', [text((value) => value.trim())]],
  [
    'indexOf',
    [
      overload(['string', 'string'], INT, (work, value: string, part: string) => {
        chargeSearch(work, value, part);
        return value.indexOf(part);
      }),
    ],
  ],
  [
    'lastIndexOf',
    [
      overload(['string', 'string'], INT, (work, value: string, part: string) => {
        // V8 compares the substring at every position.
        work.charge((value.length >> 2) + Math.ceil((value.length * part.length) / 64));
        return value.lastIndexOf(part);
      }),
    ],
  ],
  [
    'substring',
    [
      overload(['string', 'number'], STRING, (_, value: string, from: number) => substring(value, from, value.length)),
      overload(['string', 'number', 'number'], STRING, (_, value: string, from: number, to: number) =>
        substring(value, from, to),
      ),
    ],
  ],
  ['split', [overload(['string', 'string'], STRING_LIST, split)]],
  [
    'join',
    [
      overload(['list'], STRING, (work, list: readonly Value[]) => join(work, list, '')),
      overload(['list', 'string'], STRING, join),
    ],
  ],
  ...timeMethods,
]);

/** The functions and methods that not all readers of bundles have, with the first format whose readers do. */
export const LATER_FUNCTIONS: ReadonlyMap<string, 2 | 3> = new Map(
  [...functions, ...methods].flatMap(([name, overloads]) => {
    const since = overloads.flatMap((one) => one.since ?? []).sort();
    return since.slice(-1).map((format) => [name, format] as const);
  }),
);

export function accepts(kind: ValueKind | 'any', value: Value): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === kind;
    case 'list':
      return Array.isArray(value);
    case 'map':
      return isMap(value);
    default:
      return kindOf(value) === kind;
  }
}

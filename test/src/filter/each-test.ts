import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { FilterCondition, FilterTest } from '@authz-service/sdk';
import type { Row } from '../naive/filtered-rows.js';

/** Texts that patterns, collations, trimming or the end of a text could mistake for each other. */
const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'a ',
    ' a',
    'A',
    'ab',
    'aB',
    'ba',
    '_',
    '%',
    '\\',
    'a_',
    'a%',
    'a\\',
    'a\\_',
    'ax',
    "'",
    '"',
    '?',
    '$1',
  ],
  ...[
    'ä',
    'a\u0308',
    'Ä',
    'ß',
    'ss',
    '\u{1f600}',
    '\u{1f601}',
    'a\u{1f600}',
    '\uffee',
    '\ud7ff',
    '\ufffd',
    'a\0',
    'a\0b',
    '\n',
    'a\n',
  ],
  ...[
    '2026-01-02T03:04:05Z',
    '2026-01-02T05:04:05+02:00',
    '2026-01-02 03:04:05',
    '0',
    '1',
    '1.0',
    '1e0',
    '01',
    ' 1',
    '+1',
    '-0',
    '9',
    '10',
    'true',
    'null',
    '[]',
    'NULL',
  ],
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  0.1,
  0.2,
  0.1 + 0.2,
  0.3,
  -0.5,
  1e15,
  1e15 + 1,
  40_000,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  1e300,
  5e-324,
];
const LISTS: Json[] = [
  ...[
    [],
    ['a'],
    ['A'],
    ['a '],
    ['a', 'a'],
    ['a', 'b'],
    ['b'],
    [''],
    ['_'],
    ['%'],
    ['\\'],
    ['"'],
    ['\u{1f600}'],
    ['a', null],
  ],
  ...[
    [null],
    [1],
    ['1'],
    [1.0, 'a'],
    [0],
    [-0],
    [0.1],
    [1e15],
    [2 ** 53 - 1],
    [true],
    [false],
    ['true'],
    [true, 1],
    [0, false],
  ],
  ...[[['a']], ['a', ['a']], [[]], [{ a: 'a' }], ['["a"]'], ['null'], ['1', 1], ['a\0'], ['\0'], ['a\0b']],
];

const rowOf = (name: string, properties: JsonObject, parents: JsonObject = {}): Row => ({ name, properties, parents });
const each = (values: readonly Json[], property: string) => [
  ...values.map((value) => rowOf('r', { [property]: value })),
  rowOf('r', {}),
];
const pairs = (values: readonly Json[], left: string, right: string) => [
  ...values.flatMap((one) => values.map((two) => rowOf('r', { [left]: one, [right]: two }))),
  ...[rowOf('r', { [left]: values[0] as Json }), rowOf('r', { [right]: values[0] as Json }), rowOf('r', {})],
];

const OF_TEXTS = ['eq', 'lt', 'le', 'gt', 'ge', 'startsWith', 'endsWith', 'contains'] as const;
const OF_NUMBERS = ['eq', 'lt', 'le', 'gt', 'ge'] as const;
const valued = (ops: readonly string[], attribute: string, values: readonly Json[]) =>
  ops.flatMap((op) => values.map((value) => ({ op, attribute, value }) as FilterTest));
/** Lists of one, of two, and of none. */
const listed = (op: string, attribute: string, values: readonly Json[]) =>
  [
    ...values.map((value, at) => [value, values[(at + 1) % values.length] as Json]),
    ...values.map((value) => [value]),
    [],
  ].map((values) => ({ op, attribute, values }) as FilterTest);
const ITEMS: Json[] = [
  'a',
  'b',
  'A',
  '',
  '_',
  '%',
  '\\',
  '"',
  '\u{1f600}',
  '1',
  'true',
  'null',
  'a\0',
  '["a"]',
  1,
  0,
  0.1,
  1e15,
  true,
  false,
];

export const TESTS: readonly [string, readonly FilterTest[], readonly Row[]][] = [
  ['a text', valued(OF_TEXTS, 'properties.t', TEXTS), each(TEXTS, 't')],
  ['one of some texts', listed('in', 'properties.t', TEXTS).slice(0, -1), each(TEXTS, 't')],
  ['a number', valued(OF_NUMBERS, 'properties.n', NUMBERS), each(NUMBERS, 'n')],
  ['one of some numbers', listed('in', 'properties.n', NUMBERS).slice(0, -1), each(NUMBERS, 'n')],
  ['a truth value', valued(['eq'], 'properties.b', [true, false]), each([true, false], 'b')],
  ['items of a list', listed('hasAny', 'properties.l', ITEMS), each(LISTS, 'l')],
  ['all items of a list', listed('hasOnly', 'properties.l', ITEMS), each(LISTS, 'l')],
  ['two texts', [{ op: 'same', attribute: 'properties.t', other: 'properties.u' }], pairs(TEXTS, 't', 'u')],
  [
    'two numbers',
    (['less', 'atMost'] as const).map((op) => ({ op, attribute: 'properties.n', other: 'properties.k' })),
    pairs(NUMBERS, 'n', 'k'),
  ],
  [
    'presence',
    ['properties.t', 'properties.n', 'properties.b', 'properties.l'].map((attribute) => ({ op: 'present', attribute })),
    [...each(TEXTS, 't'), ...each(NUMBERS, 'n'), ...each([true, false], 'b'), ...each(LISTS, 'l')],
  ],
  ['a name', valued(OF_TEXTS, 'name', TEXTS), TEXTS.filter((text) => text !== '').map((text) => rowOf(text, {}))],
  [
    'a parent',
    [...valued(['eq'], 'parents.up', TEXTS), { op: 'present', attribute: 'parents.up' }],
    [...TEXTS.map((text) => rowOf('r', {}, { up: text })), rowOf('r', {})],
  ],
];

/** A test as filters say it: that it is true, that it is false, and that it is false or lacks the value. */
export function* saying(test: FilterTest): Iterable<FilterCondition> {
  yield test;
  const attributes = 'other' in test ? [test.attribute, test.other] : [test.attribute];
  const present = attributes.map((attribute): FilterTest => ({ op: 'present', attribute }));
  if (test.op === 'present') yield { op: 'not', arg: test };
  else yield { op: 'and', args: [...present, { op: 'not', arg: test }] };
  if (test.op !== 'present')
    yield { op: 'or', args: [...present.map((arg) => ({ op: 'not', arg }) as const), { op: 'not', arg: test }] };
}

export const valueIn =
  ({ name, properties, parents }: Row) =>
  (attribute: string) => {
    if (attribute === 'name') return name;
    if (attribute === 'parents.up') return (parents.up as Json | null) ?? undefined;
    return properties[attribute.slice('properties.'.length)];
  };

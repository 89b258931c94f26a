import { compareTexts } from '../../collections/sorted-in-steps.js';
import { type ColumnName, columnsOf, type RowCondition, type RowTest } from './row-condition.js';
import { type Scalar, sortedValues, type ValueSet } from './value-set.js';

/**
 * A condition on rows, as it is published (docs/filters.md). It is two-valued: a test is false for a row that lacks the
 * value, and `not` stands only before a test. Where rows without the value are meant, the condition says so by `present`.
 */
export type FilterCondition =
  | { readonly op: 'and' | 'or'; readonly args: readonly FilterCondition[] }
  | { readonly op: 'not'; readonly arg: FilterTest }
  | FilterTest;

export type FilterTest =
  | { readonly op: 'present'; readonly attribute: string }
  | { readonly op: 'eq'; readonly attribute: string; readonly value: Scalar }
  | { readonly op: 'in' | 'hasAny' | 'hasOnly'; readonly attribute: string; readonly values: readonly Scalar[] }
  | { readonly op: 'lt' | 'le' | 'gt' | 'ge'; readonly attribute: string; readonly value: Scalar }
  | { readonly op: 'startsWith' | 'endsWith' | 'contains'; readonly attribute: string; readonly value: string }
  | { readonly op: 'same' | 'less' | 'atMost'; readonly attribute: string; readonly other: string };

/** The rows that a filter selects. */
export type Filter = { readonly kind: 'all' | 'none' } | { readonly kind: 'some'; readonly condition: FilterCondition };

/** A condition in its published form, in a stable order. */
export function publishedFilter(condition: RowCondition): Filter {
  if (condition.op === 'always') return { kind: 'all' };
  return condition.op === 'never' ? { kind: 'none' } : { kind: 'some', condition: published(condition) };
}

function published(condition: RowCondition): FilterCondition {
  switch (condition.op) {
    case 'set':
      return publishedSet(condition.column, condition.set);
    case 'test':
      return condition.passes ? passedTest(condition.test) : failedTest(condition.test);
    case 'and':
    case 'or': {
      const args = condition.parts.map(published).flatMap((arg) => (arg.op === condition.op ? arg.args : [arg]));
      return { op: condition.op, args: inOrder(args.filter(isFirst)) };
    }
    default:
      throw new Error(`A part of a condition is ${condition.op}`);
  }
}

/** Several tests of one column may each say first that there is a value. */
function isFirst(arg: FilterCondition, at: number, all: readonly FilterCondition[]): boolean {
  const attribute = arg.op === 'present' ? arg.attribute : undefined;
  return (
    attribute === undefined || !all.slice(0, at).some((one) => one.op === 'present' && one.attribute === attribute)
  );
}

function inOrder(args: readonly FilterCondition[]): FilterCondition[] {
  const placed = args.map((arg) => ({ arg, place: placeOf(arg), text: '' }));
  const textOf = (one: (typeof placed)[number]) => (one.text ||= JSON.stringify(one.arg));
  placed.sort((one, two) => compareTexts(one.place, two.place) || compareTexts(textOf(one), textOf(two)));
  return placed.map(({ arg }) => arg);
}

/** Tests come before what is made of several, by their attributes; whether there is a value is tested first. */
function placeOf(condition: FilterCondition): string {
  if ('args' in condition) return '1';
  const { attribute, op } = condition.op === 'not' ? condition.arg : condition;
  return `0 ${attribute} ${condition.op === 'present' ? 0 : op === 'present' ? 2 : 1}`;
}

function publishedSet(attribute: ColumnName, { values, others, missing }: ValueSet): FilterCondition {
  const present: FilterTest = { op: 'present', attribute };
  const absent: FilterCondition = { op: 'not', arg: present };
  const sorted = sortedValues(values);
  const [first] = sorted;
  if (first === undefined) return others ? present : absent;
  const listed: FilterTest =
    sorted.length === 1 ? { op: 'eq', attribute, value: first } : { op: 'in', attribute, values: sorted };
  if (!others) return missing ? { op: 'or', args: inOrder([listed, absent]) } : listed;
  const other: FilterCondition = { op: 'not', arg: listed };
  if (attribute === 'name') return other;
  return missing ? { op: 'or', args: inOrder([absent, other]) } : { op: 'and', args: [present, other] };
}

/** Tells the items of no list from those of an empty one, of which all is true. */
function passedTest(test: RowTest): FilterCondition {
  const published = publishedTest(test);
  if (test.op !== 'hasOnly') return published;
  return { op: 'and', args: [{ op: 'present', attribute: test.column }, published] };
}

const OPPOSITE = { lt: 'ge', le: 'gt' } as const;

function publishedTest({ op, column: attribute, other, value, values }: RowTest): FilterTest {
  if (other !== undefined) return { op: op === 'lt' ? 'less' : op === 'le' ? 'atMost' : 'same', attribute, other };
  if (values !== undefined) return { op: op as 'hasAny' | 'hasOnly', attribute, values };
  return { op, attribute, value } as FilterTest;
}

function failedTest(test: RowTest): FilterCondition {
  const { op, column, other, value } = test;
  if (other === undefined && (op === 'lt' || op === 'le'))
    return { op: OPPOSITE[op], attribute: column, value: value as Scalar };
  if (other !== undefined && op !== 'same')
    return { op: op === 'lt' ? 'atMost' : 'less', attribute: other, other: column };
  const present = columnsOf(test).map((attribute): FilterTest => ({ op: 'present', attribute }));
  return { op: 'and', args: [...present, { op: 'not', arg: publishedTest(test) }] };
}

import type { FilterCondition, FilterTest } from './filter-condition.js';
import type { Scalar } from './value-set.js';

/** Longer lists are cut off for people. */
const SHOWN_MAX = 5;
const ORDER = { lt: '<', le: '<=', gt: '>', ge: '>=', eq: '==' } as const;

/** A line of a condition for people: a test, or `all of` or `any of` with what is below it. */
export interface FilterLine {
  readonly text: string;
  readonly below: readonly FilterLine[];
}

/** Says a condition for people: tests as conditions of policies write them. */
export function filterLine(condition: FilterCondition): FilterLine {
  if (!('args' in condition)) return { text: testText(condition), below: [] };
  return { text: condition.op === 'and' ? 'all of' : 'any of', below: condition.args.map(filterLine) };
}

type Single = FilterTest | { readonly op: 'not'; readonly arg: FilterTest };

function testText(condition: Single): string {
  if (condition.op === 'not') {
    const { arg } = condition;
    if (arg.op === 'eq') return `${arg.attribute} != ${literal(arg.value)}`;
    return arg.op === 'present' || arg.op === 'contains' || arg.op === 'startsWith' || arg.op === 'endsWith'
      ? `!${testText(arg)}`
      : `!(${testText(arg)})`;
  }
  const { attribute } = condition;
  switch (condition.op) {
    case 'present':
      return `has(${attribute})`;
    case 'in':
      return `${attribute} in ${list(condition.values)}`;
    case 'hasAny':
      return `${attribute}.exists(item, item in ${list(condition.values)})`;
    case 'hasOnly':
      return `${attribute}.all(item, item in ${list(condition.values)})`;
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return `${attribute}.${condition.op}(${literal(condition.value)})`;
    case 'same':
      return `${attribute} == ${condition.other}`;
    case 'less':
      return `${attribute} < ${condition.other}`;
    case 'atMost':
      return `${attribute} <= ${condition.other}`;
    default:
      return `${attribute} ${ORDER[condition.op]} ${literal(condition.value)}`;
  }
}

function list(values: readonly Scalar[]): string {
  const shown = values.slice(0, SHOWN_MAX).map(literal).join(', ');
  const more = values.length - SHOWN_MAX;
  return more > 0 ? `[${shown}, and ${more.toLocaleString('en')} more]` : `[${shown}]`;
}

function literal(value: Scalar): string {
  return JSON.stringify(value);
}

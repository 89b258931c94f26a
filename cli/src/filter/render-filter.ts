import type { Filter, FilterCondition, FilterTest, FilterValue } from '@authz-service/sdk/filter';
import { counted, printable } from '../output/text.js';

/** Longer lists are cut off for people; `--json` has them whole. */
const SHOWN_MAX = 5;
/** The warning of an upper bound. */
export const PARTIAL = 'Not all of these rows are allowed: ask a decision for each (columns cannot say the answer).';
const ORDER = { lt: '<', le: '<=', gt: '>', ge: '>=', eq: '==' } as const;

/** Renders a filter for people: tests as conditions of policies write them. */
export function renderFilter({ kind, condition, partial, explanation }: Filter, subject: string, type: string): string {
  const lines = [sentence(kind, subject, type)];
  if (condition !== undefined) lines.push('', ...indented(condition, 1));
  if (partial) lines.push('', PARTIAL);
  if (explanation !== undefined) {
    lines.push(
      '',
      `${counted(explanation.policies.length, 'policy', 'policies')} ${explanation.policies.length === 1 ? 'takes' : 'take'} part:`,
    );
    for (const { policy, effect, priority } of explanation.policies)
      lines.push(`  ${effect.padEnd(5)} ${printable(policy)}${priority === 0 ? '' : ` (priority ${priority})`}`);
  }
  return lines.join('\n');
}

function sentence(kind: Filter['kind'], subject: string, type: string): string {
  if (kind === 'all') return `${subject} may do this to all ${type} rows.`;
  return kind === 'none'
    ? `${subject} may do this to no ${type} row.`
    : `${subject} may do this to the ${type} rows for which`;
}

/** One line for each test; what is made of several is indented. */
function indented(condition: FilterCondition, level: number): string[] {
  const space = '  '.repeat(level);
  if (!('args' in condition)) return [`${space}${testText(condition)}`];
  const word = condition.op === 'and' ? 'all of' : 'any of';
  return [`${space}${word}`, ...condition.args.flatMap((arg) => indented(arg, level + 1))];
}

type Single = FilterTest | { readonly op: 'not'; readonly arg: FilterTest };

function testText(condition: Single): string {
  if (condition.op === 'not') {
    const { arg } = condition;
    if (arg.op === 'eq') return `${printable(arg.attribute)} != ${literal(arg.value)}`;
    return arg.op === 'present' || arg.op === 'contains' || arg.op === 'startsWith' || arg.op === 'endsWith'
      ? `!${testText(arg)}`
      : `!(${testText(arg)})`;
  }
  const attribute = printable(condition.attribute);
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
      return `${attribute} == ${printable(condition.other)}`;
    case 'less':
      return `${attribute} < ${printable(condition.other)}`;
    case 'atMost':
      return `${attribute} <= ${printable(condition.other)}`;
    default:
      return `${attribute} ${ORDER[condition.op]} ${literal(condition.value)}`;
  }
}

function list(values: readonly FilterValue[]): string {
  const shown = values.slice(0, SHOWN_MAX).map(literal).join(', ');
  const more = values.length - SHOWN_MAX;
  return more > 0 ? `[${shown}, and ${more.toLocaleString('en')} more]` : `[${shown}]`;
}

function literal(value: FilterValue): string {
  return printable(JSON.stringify(value));
}

import { type FilterLine, filterLine } from '@authz-service/core/questions/filter/filter-text';
import type { Filter } from '@authz-service/sdk/filter';
import { counted, printable } from '../output/text.js';

/** The warning of an upper bound. */
export const PARTIAL = 'Not all of these rows are allowed: ask a decision for each (columns cannot say the answer).';

/** Renders a filter for people: tests as conditions of policies write them. */
export function renderFilter({ kind, condition, partial, explanation }: Filter, subject: string, type: string): string {
  const lines = [partial ? bound(kind, subject, type) : sentence(kind, subject, type)];
  if (condition !== undefined) lines.push('', ...indented(filterLine(condition), 1));
  if (partial) lines.push('', PARTIAL);
  if (explanation !== undefined) lines.push('', ...explanationLines(explanation));
  return lines.join('\n');
}

/** The policies that take part, one a line. */
export function explanationLines({ policies }: NonNullable<Filter['explanation']>): string[] {
  return [
    `${counted(policies.length, 'policy', 'policies')} ${policies.length === 1 ? 'takes' : 'take'} part:`,
    ...policies.map(
      ({ policy, effect, priority }) =>
        `  ${effect.padEnd(5)} ${printable(policy)}${priority === 0 ? '' : ` (priority ${priority})`}`,
    ),
  ];
}

function sentence(kind: Filter['kind'], subject: string, type: string): string {
  if (kind === 'all') return `${subject} may do this to all ${type} rows.`;
  return kind === 'none'
    ? `${subject} may do this to no ${type} row.`
    : `${subject} may do this to the ${type} rows for which`;
}

/** The sentence where some of the rows may be refused. */
function bound(kind: Filter['kind'], subject: string, type: string): string {
  if (kind === 'all') return `${subject} may do this to some of the ${type} rows.`;
  return kind === 'none'
    ? sentence(kind, subject, type)
    : `${subject} may do this at most to the ${type} rows for which`;
}

/** One line for each test; what is made of several is indented. */
function indented({ text, below }: FilterLine, level: number): string[] {
  return [`${'  '.repeat(level)}${printable(text)}`, ...below.flatMap((one) => indented(one, level + 1))];
}

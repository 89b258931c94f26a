import type { ExplainedCandidate, ExplainedClause } from '@authz-service/core/access/api/decision';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';

/** The clauses of a candidate, a line each: `resource.properties.amount < 10000: false (12500)`. */
export function clauseLines({ clauses = [], clauses_left_out: more = 0 }: ExplainedCandidate, style: Style): string[] {
  const shown = clauses.map((clause) => {
    const text = printable(clauseText(clause));
    return `${MARKS[clause.outcome]} ${clause.outcome === 'true' ? style('dim', text) : text}`;
  });
  return more > 0 ? [...shown, style('dim', `… ${counted(more, 'more clause')}`)] : shown;
}

const MARKS: Readonly<Record<ExplainedClause['outcome'], string>> = { true: '✓', false: '✗', absent: '?', failed: '!' };

function clauseText({ clause, outcome, why, values = {} }: ExplainedClause): string {
  const entries = Object.entries(values);
  // What is read by itself is said already; and the only value that a clause reads needs no name.
  const isPlain = entries.length === 1 && why === undefined;
  const read = entries.flatMap(([name, value]) =>
    isPlain ? (name === clause ? [] : [value]) : [`${name} is ${value}`],
  );
  const trouble = outcome === 'absent' ? [`there is no ${why}`] : outcome === 'failed' ? [why ?? ''] : [];
  const rest = [...trouble, ...read];
  return `${clause}: ${outcome}${rest.length === 0 ? '' : ` (${rest.join('; ')})`}`;
}

import type { CoveragePoint, Goal } from '@authz-service/core/questions/policy-tests/coverage/coverage-point';
import { type Share, shareOf } from '@authz-service/core/questions/policy-tests/share';
import { table } from '../output/table.js';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';

/** Coverage for people: a line for each policy, what is not shown with its place, and the totals. */
export function renderCoverage(points: readonly CoveragePoint[], since: string | undefined, style: Style): string {
  const missing = points.filter(({ hits, accepted }) => hits === 0 && accepted === undefined);
  const accepted = points.filter((point) => point.accepted !== undefined).length;
  const where = since === undefined ? '' : ` of what has changed since ${printable(since)}`;
  const also = accepted === 0 ? '' : `; ${counted(accepted, 'point')} accepted`;
  const all = share(points);
  const parts = PARTS.flatMap(([name, goals]) => {
    const { covered, total } = share(points.filter(({ goal }) => goals.includes(goal)));
    return total === 0 ? [] : [`${name} ${covered}/${total}`];
  });
  return [
    ...(points.some(({ goal }) => goal === 'decides') ? [policyTable(points, style), ''] : []),
    ...missing.map((point) => lineOf(point, style)),
    `Coverage${where}: ${percentText(all)} (${parts.join(', ')})${also}`,
  ].join('\n');
}

function share(points: readonly CoveragePoint[]): Share {
  return shareOf(points.filter(({ accepted }) => accepted === undefined).map(({ hits }) => hits > 0));
}

const PARTS: readonly (readonly [name: string, goals: readonly Goal[]])[] = [
  ['policies', ['decides', 'does_not_apply']],
  ['clauses', ['true', 'false']],
  ['assignments', ['needed']],
];

const MISSING: { readonly [G in Goal]: (clause: string) => string } = {
  decides: () => 'decides no question',
  does_not_apply: () => 'no question shows what it covers and does not apply to',
  true: (clause) => `never true: ${clause}`,
  false: (clause) => `never false: ${clause}`,
  needed: () => 'no test fails without it',
};

function policyTable(points: readonly CoveragePoint[], style: Style): string {
  const rows = points.flatMap(({ address, goal, hits, file, line }) => {
    if (goal !== 'decides') return [];
    const own = points.filter((point) => point.address === address);
    const spares = own.find((point) => point.goal === 'does_not_apply');
    const clauses = share(own.filter(({ clause }) => clause !== undefined));
    const both = clauses.total === 0 ? '' : `${clauses.covered}/${clauses.total}`;
    return [[address, String(hits), spares === undefined ? '' : String(spares.hits), both, `${file}:${line}`]];
  });
  return table(['POLICY', 'DECIDES', 'DOES NOT APPLY', 'CLAUSES', 'AT'], rows, style, Number.POSITIVE_INFINITY);
}

function lineOf({ file, line, column, address, goal, clause = '' }: CoveragePoint, style: Style): string {
  const text = `${address}: ${MISSING[goal](clause.replace(/\s+/g, ' '))}`;
  return `${style('bold', printable(`${file}:${line}:${column}:`))} ${style('yellow', 'not shown:')} ${printable(text)}`;
}

export function percentText({ percent }: Share): string {
  return `${percent.toFixed(2)} %`;
}

export function belowText(what: string, share: Share, threshold: string | undefined, style: Style): string {
  return `${style('red', '✗')} ${what}: ${percentText(share)}, less than ${threshold} %`;
}

import type { CoveragePoint } from '@authz-service/core/questions/policy-tests/coverage/coverage-point';

/**
 * Coverage as LCOV tracefiles have it: a line is hit if all that is to be shown of it is; clauses are its branches. What
 * comments accept is left out.
 */
export function lcovText(points: readonly CoveragePoint[]): string {
  const files = new Map<string, CoveragePoint[]>();
  for (const point of points) {
    if (point.accepted !== undefined) continue;
    files.set(point.file, [...(files.get(point.file) ?? []), point]);
  }
  return [...files].map(([file, list]) => fileRecord(file, list)).join('');
}

function fileRecord(file: string, points: readonly CoveragePoint[]): string {
  const lines = new Map<number, number>();
  for (const { line, hits } of points) lines.set(line, Math.min(hits, lines.get(line) ?? Number.POSITIVE_INFINITY));
  const ordered = [...lines].sort(([left], [right]) => left - right);
  const clauses = new Map<string, number>();
  const branches = points.flatMap(({ clause, line, column, goal, hits }) => {
    if (clause === undefined) return [];
    const key = `${line}:${column}`;
    const block = clauses.get(key) ?? clauses.size;
    clauses.set(key, block);
    return [{ text: `BRDA:${line},${block},${goal === 'true' ? 0 : 1},${hits}`, hits }];
  });
  const hit = (list: readonly number[]) => list.filter((hits) => hits > 0).length;
  return [
    'TN:',
    `SF:${file}`,
    ...branches.map(({ text }) => text),
    `BRF:${branches.length}`,
    `BRH:${hit(branches.map(({ hits }) => hits))}`,
    ...ordered.map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${ordered.length}`,
    `LH:${hit(ordered.map(([, hits]) => hits))}`,
    'end_of_record',
    '',
  ].join('\n');
}

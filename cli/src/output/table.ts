import type { Style } from './terminal.js';
import { padded, printable, truncate, width } from './text.js';

const GAP = 2;
const NARROWEST = 12;

/**
 * Rows under headings, aligned; a column in which no row says anything is left out. Where the terminal is too narrow the widest columns give way, since one long
 * description must not push the rest off the screen; without a terminal (`columns` infinite) nothing is cut.
 */
export function table(
  allHeadings: readonly string[],
  rows: readonly string[][],
  style: Style,
  columns: number,
): string {
  const used = allHeadings.map((_, index) => index === 0 || rows.some((row) => (row[index] ?? '') !== ''));
  const headings = allHeadings.filter((_, index) => used[index]);
  const cells = rows.map((row) => row.filter((_, index) => used[index]).map(printable));
  const widths = headings.map((heading, index) =>
    cells.reduce((widest, row) => Math.max(widest, width(row[index] ?? '')), width(heading)),
  );
  narrow(widths, columns - GAP * (headings.length - 1));
  const line = (row: readonly string[]): string =>
    headings
      .map((_, index) => padded(truncate(row[index] ?? '', widths[index] ?? 0), widths[index] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [style.bold(line(headings)), ...cells.map(line)].join('\n');
}

/** The first column names the row: it gives way last. */
function narrow(widths: number[], available: number): void {
  let excess = widths.reduce((sum, columns) => sum + columns, 0) - available;
  while (excess > 0) {
    const rest = widths.slice(1);
    const widest = Math.max(0, ...rest);
    const index = widest > NARROWEST ? rest.indexOf(widest) + 1 : 0;
    const columns = widths[index] ?? 0;
    if (columns <= NARROWEST) return;
    widths[index] = columns - 1;
    excess--;
  }
}

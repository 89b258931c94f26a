import type { Style } from './terminal.js';
import { padded, printable, truncate, width } from './text.js';

const GAP = 2;
const NARROWEST = 12;

/**
 * Rows under headings, aligned. Where the terminal is too narrow the widest columns give way, since one long
 * description must not push the rest off the screen; without a terminal (`columns` infinite) nothing is cut.
 */
export function table(headings: readonly string[], rows: readonly string[][], style: Style, columns: number): string {
  const cells = rows.map((row) => row.map(printable));
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

function narrow(widths: number[], available: number): void {
  let excess = widths.reduce((sum, columns) => sum + columns, 0) - available;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return;
    widths[widths.indexOf(widest)] = widest - 1;
    excess--;
  }
}

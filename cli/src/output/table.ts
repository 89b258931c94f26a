import type { Style } from './terminal.js';
import { padded, printable, truncate, width, wrap } from './text.js';

const GAP = 2;
const NARROWEST = 12;
/** Longer cells are cut: one long description must not push the other rows off the screen. */
const CELL_LINES_MAX = 3;

/**
 * Rows under headings, aligned; a column in which no row says anything is left out. Where the terminal is too narrow the
 * widest columns give way: what they hold goes on in the next line, and is cut where that is not enough. Without a
 * terminal (`columns` infinite) every row is one line.
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
  const widest = (widthOf: (cell: string) => number) =>
    headings.map((heading, index) =>
      cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), width(heading)),
    );
  const widths = widest(width);
  narrow(widths, widest(longestWord), columns - GAP * (headings.length - 1));
  const lines = cells.flatMap((row) => linesOf(row, widths));
  return [style.bold(lineOf(headings, widths)), ...lines].join('\n');
}

function linesOf(row: readonly string[], widths: readonly number[]): string[] {
  const parts = widths.map((columns, index) => {
    const wrapped = wrap(row[index] ?? '', columns);
    const rest = wrapped.slice(CELL_LINES_MAX - 1).join(' ');
    return wrapped.length > CELL_LINES_MAX ? [...wrapped.slice(0, CELL_LINES_MAX - 1), rest] : wrapped;
  });
  const height = Math.max(1, ...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) =>
    lineOf(
      parts.map((part) => part[index] ?? ''),
      widths,
    ),
  );
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  return widths
    .map((columns, index) => padded(truncate(row[index] ?? '', columns), columns))
    .join(' '.repeat(GAP))
    .trimEnd();
}

function longestWord(text: string): number {
  return Math.max(...text.split(' ').map(width));
}

/** Columns give way down to their longest word first, then by cutting words; the first one, which names the row, last. */
function narrow(widths: number[], words: readonly number[], available: number): void {
  let excess = widths.reduce((sum, columns) => sum + columns, 0) - available;
  while (excess > 0) {
    const index = widestOf(widths, words) ?? widestOf(widths.slice(1), [], 1) ?? widestOf(widths.slice(0, 1), []);
    if (index === undefined) return;
    widths[index] = (widths[index] ?? 0) - 1;
    excess--;
  }
}

/** The index of the widest column that is wider than its least width; `offset` is that of the first one. */
function widestOf(widths: readonly number[], least: readonly number[], offset = 0): number | undefined {
  let found: number | undefined;
  widths.forEach((columns, index) => {
    if (columns <= Math.max(NARROWEST, least[index] ?? 0)) return;
    if (found === undefined || columns > (widths[found] ?? 0)) found = index;
  });
  return found === undefined ? undefined : found + offset;
}

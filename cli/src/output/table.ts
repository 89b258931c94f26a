import Table from 'cli-table3';
import type { Style } from './terminal.js';
import { padded, printable, width } from './text.js';

const GAP = 2;
const NARROWEST = 8;

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', right: '', 'right-mid': '', middle: '' },
};

/**
 * Rows under headings, aligned; a column whose cells are all empty is omitted. If the terminal is too narrow, the
 * columns after the first one wrap, and words that are still too long are cut. The first column names the row and stays
 * complete. Without a terminal (`columns` is infinite) every row is one line.
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
  const natural = widest(width);
  const available = columns - GAP * (headings.length - 1);
  const lines =
    sum(natural) <= available
      ? [headings, ...cells].map((row) => row.map((cell, index) => padded(cell, natural[index] ?? 0)).join('  '))
      : folded([headings, ...cells], narrowed(natural, widest(longestWord), available));
  const [first = '', ...others] = lines.map((line) => line.trimEnd());
  return [style('bold', first), ...others].join('\n');
}

/** The library's layout takes about a third of a millisecond per row, which is avoided if every row fits on a line. */
function folded(rows: readonly string[][], widths: readonly number[]): string[] {
  const layout = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
    colWidths: widths.map((columns) => columns + GAP),
    wordWrap: true,
  });
  layout.push(...rows.map((row) => [...row]));
  return layout.toString().split('\n');
}

/** Columns after the first one shrink to their longest word, and if that is not enough, words are cut. */
function narrowed(natural: readonly number[], words: readonly number[], available: number): number[] {
  const widths = [...natural];
  for (const least of [words, natural.map(() => 0)]) {
    for (let excess = sum(widths) - available; excess > 0; excess--) {
      const loose = widths.map((columns, index) =>
        index > 0 && columns > Math.max(NARROWEST, least[index] ?? 0) ? columns : 0,
      );
      const widest = Math.max(...loose);
      if (widest === 0) break;
      widths[loose.indexOf(widest)] = widest - 1;
    }
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const longestWord = (text: string): number => Math.max(...text.split(' ').map(width));

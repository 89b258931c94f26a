/** Matches what spreadsheets take for the beginning of a formula, also behind blanks. */
const FORMULA = /^\s*[=+\-@\t\r]/;

/** The same after what separates cells where the list separator is not a comma, and ends the quotes around a cell. */
const LATER_FORMULA = /([;\t\r\n][\s"]*)([=+\-@])/g;

/**
 * A table as CSV (RFC 4180): every cell is quoted, lines end with CRLF. A cell that a spreadsheet would compute, and what it
 * would compute if it takes semicolons or tabs as separators, gets an apostrophe before it, so that it is shown as text.
 */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(text: string): string {
  const guarded = text.replaceAll(LATER_FORMULA, "$1'$2");
  const shown = FORMULA.test(text) ? `'${guarded}` : guarded;
  return `"${shown.replaceAll('"', '""')}"`;
}

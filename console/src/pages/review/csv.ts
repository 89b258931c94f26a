/** What spreadsheets take for the beginning of a formula, also behind blanks. */
const FORMULA = /^\s*[=+\-@\t\r]/;

/**
 * A table as CSV (RFC 4180): every cell is quoted, lines end with CRLF. A cell that a spreadsheet would compute gets an
 * apostrophe before it, so that it is shown as text.
 */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(text: string): string {
  const shown = FORMULA.test(text) ? `'${text}` : text;
  return `"${shown.replaceAll('"', '""')}"`;
}

import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  figures?: boolean;
  /** Narrow screens do without it. */
  lesser?: boolean;
}

interface Props<Row> {
  /** For screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Whether the rows answer the question before. */
  stale?: boolean;
}

/** A table of one page. The first column names its row. On a phone, each row is a list of what its cells say. */
export function DataTable<Row>({ label, columns, rows, keyOf, stale = false }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <section className={styles.frame} aria-label={label} tabIndex={0} aria-busy={stale}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.title} scope="row">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.title} className={classOf(column)} data-title={column.title}>
                    <div>{column.cell(row)}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf<Row>({ figures, lesser }: Column<Row>): string | undefined {
  return [figures && styles.figures, lesser && styles.lesser].filter(Boolean).join(' ') || undefined;
}

import type { ReactNode } from 'react';
import styles from './bars.module.css';

export interface Bar {
  key: string;
  /** The name of what is counted, perhaps as a link to it. */
  label: ReactNode;
  count: number;
}

/** Counts as a list with a bar for each. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ul className={styles.bars} aria-label={label}>
      {bars.map(({ key, label: of, count }) => (
        <li key={key}>
          <span className={styles.label}>{of}</span>
          <span className={styles.track} aria-hidden="true">
            <span className={styles.bar} style={{ width: `${(100 * count) / most}%` }} />
          </span>
          <span className={styles.count}>{count.toLocaleString('en-GB')}</span>
        </li>
      ))}
    </ul>
  );
}

/** Counts in the order of time as columns; `label` says in words what they show. */
export function Columns({ label, counts }: { label: string; counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  return (
    <div className={styles.columns} role="img" aria-label={label}>
      {counts.map((count, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place in time.
          key={at}
          className={count > 0 ? styles.column : styles.none}
          style={{ height: `${Math.max(4, (100 * count) / most)}%` }}
        />
      ))}
    </div>
  );
}

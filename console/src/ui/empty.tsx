import type { ReactNode } from 'react';
import styles from './empty.module.css';

/** Stands where there is nothing to show, and says what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}

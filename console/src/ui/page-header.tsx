import type { ReactNode } from 'react';
import styles from './page-header.module.css';
import { useTitle } from './use-title.js';

interface Props {
  title: string;
  /** The text above the title. */
  over?: ReactNode;
  /** The text below it, in a muted tone. */
  under?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, over, under, actions }: Props) {
  useTitle(title);
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        {over !== undefined && <div className={styles.over}>{over}</div>}
        <h1>{title}</h1>
        {under !== undefined && <div className={styles.under}>{under}</div>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}

import type { ReactNode } from 'react';
import styles from './badge.module.css';

export function Badge({ tone = 'plain', children }: { tone?: 'plain' | 'good' | 'bad' | 'warn'; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>;
}

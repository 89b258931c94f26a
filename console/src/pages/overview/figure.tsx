import styles from './overview-page.module.css';

/** The number that a card is about. */
export function Figure({ children }: { children: number | string }) {
  return <p className={styles.figure}>{typeof children === 'number' ? children.toLocaleString('en-GB') : children}</p>;
}

import type { AuditEntry } from '@authz-service/sdk/wire';
import { origin } from '../text/origin.js';
import { Origin } from './record-origin.js';
import styles from './record-origin.module.css';

/** The commit in Git that a revision came from, where whoever applied it said so. */
export function GitCommit({ of: { source } }: { of: AuditEntry }) {
  if (source === undefined) return null;
  const isKnown = source.repository !== undefined || source.commit !== undefined;
  return (
    <span className={styles.git}>
      {isKnown && `${origin.from} `}
      <Origin of={{ address: '', ...source }} />
    </span>
  );
}

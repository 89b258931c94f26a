import type { AuditEntry } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';
import { text } from '../../text/english.js';
import { Actor } from '../../ui/actor.js';
import { Badge } from '../../ui/badge.js';
import { GitCommit } from '../../ui/git-commit.js';
import { When } from '../../ui/when.js';
import styles from './commit-list.module.css';

/** Commits, each with who, when, what, and a link to all of it. */
export function CommitList({ commits }: { commits: readonly AuditEntry[] }) {
  return (
    <ol className={styles.commits}>
      {commits.map((commit) => {
        const { revision, at, credential, stack, counts, changes } = commit;
        return (
          <li key={revision}>
            <Link to="/revision" search={{ number: numberOf(revision) }} className={styles.number}>
              {numberOf(revision)}
            </Link>
            <div>
              <p>
                <Actor by={credential} /> {text.history.counts(counts)} {stack !== undefined && <Badge>{stack}</Badge>}{' '}
                <GitCommit of={commit} />
              </p>
              <p className={styles.what}>
                {changes
                  .slice(0, 3)
                  .map(({ address }) => address)
                  .join(', ')}
                {changes.length > 3 && ` ${text.records.andMore(counts.added + counts.changed + counts.removed - 3)}`}
              </p>
            </div>
            <span className={styles.when}>
              <When at={at} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** `42` of `42.9f86d081884c7d65`. */
export function numberOf(revision: string): string {
  return revision.split('.')[0] ?? revision;
}

import type { AuditEntry } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Actor } from '../../ui/actor.js';
import { GitCommit } from '../../ui/git-commit.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import styles from './record-page.module.css';

const LISTED = 20;

/** The latest commits that changed a record. */
export function RecordHistory({ address }: { address: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', address],
    queryFn: async ({ signal }) => {
      const entries: AuditEntry[] = [];
      for await (const entry of client.audit({ filter: { record: address }, limit: LISTED, signal })) {
        if (entries.push(entry) === LISTED) break;
      }
      return entries;
    },
  });
  return (
    <section className={styles.card} aria-labelledby="history">
      <h2 id="history">{text.records.history}</h2>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data?.length === 0 && <p className={styles.none}>{text.records.historyNone}</p>}
      <ol className={styles.commits}>
        {data?.map((entry) => (
          <li key={entry.revision}>
            <span>
              {text.records.did(entry.changes[0]?.op ?? 'update')} <Actor by={entry.credential} />{' '}
              <GitCommit of={entry} />
            </span>
            <span className={styles.none}>
              <When at={entry.at} /> ·{' '}
              <Link to="/revision" search={{ number: numberOf(entry) }}>
                {text.history.revision(numberOf(entry))}
              </Link>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function numberOf({ revision }: AuditEntry): string {
  return revision.split('.')[0] ?? '';
}

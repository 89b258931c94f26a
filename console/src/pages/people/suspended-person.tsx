import type { AuditEntry } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { client, clientAt } from '../../api/client.js';
import { found } from '../../api/found.js';
import { people as words } from '../../text/people.js';
import { Actor } from '../../ui/actor.js';
import { GitCommit } from '../../ui/git-commit.js';
import { pathOf } from '../../ui/record-link.js';
import { SuspendedBadge, type Suspension } from '../../ui/suspended-badge.js';
import { When } from '../../ui/when.js';
import { numberOf } from '../history/commit-list.js';
import styles from './person-page.module.css';

/** More commits of one record than this are not looked at. */
const LOOKED_AT_MAX = 20;

interface Props {
  subject: string;
  name: string;
  suspension: Suspension;
  /** The revision of the record. */
  revision: number;
}

/** The note that a subject may do nothing: until when and why, since when and by whom. */
export function SuspendedPerson({ subject, name, suspension, revision }: Props) {
  const { suspended_until: until, suspension_reason: reason } = suspension;
  const { data: commit } = useQuery({
    queryKey: ['suspended', subject, revision],
    queryFn: ({ signal }) => readCommit(subject, suspension, signal),
  });
  return (
    <section className={styles.suspended} aria-label={words.suspension.suspended}>
      <p>
        <SuspendedBadge /> {words.suspension.mayDoNothing(name)}
      </p>
      {reason !== undefined && <p className={styles.reason}>{words.suspension.because(reason)}</p>}
      <p>
        {until === undefined ? (
          words.suspension.endless
        ) : (
          <>
            {words.suspension.until} <When at={until} />
          </>
        )}
        {commit && (
          <>
            , {words.suspension.since} <When at={commit.at} /> {words.by} <Actor by={commit.credential} />{' '}
            <GitCommit of={commit} />
          </>
        )}
      </p>
    </section>
  );
}

/** The commit that made the suspension what it is; null if history does not tell it. */
async function readCommit(subject: string, present: Suspension, signal: AbortSignal): Promise<AuditEntry | null> {
  const { items } = await client.commits({ record: `subject/${subject}`, limit: LOOKED_AT_MAX }, signal);
  for (const commit of items) {
    const change = commit.changes.find(({ address }) => address === `subject/${subject}`);
    if (change?.op === 'create') return commit;
    if (change === undefined) return null;
    const before = clientAt(String(Number(numberOf(commit.revision)) - 1)).records('subject');
    const record = await found(before.get(pathOf(change.from ?? change.address), { signal }));
    if (record === undefined) return null;
    if (!isSame(record, present)) return commit;
  }
  return null;
}

function isSame(left: Suspension, right: Suspension): boolean {
  return FIELDS.every((field) => left[field] === right[field]);
}

const FIELDS = ['suspended', 'suspended_until', 'suspension_reason'] as const;

import { provenanceText } from '@authz-service/core/origin/provenance-text';
import type { AuditEntry } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Actor } from '../../ui/actor.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { Empty } from '../../ui/empty.js';
import { GivenBy } from '../../ui/git-commit.js';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { Origin } from '../../ui/record-origin.js';
import { When } from '../../ui/when.js';
import { AccessBetween } from './access-between.js';
import { ChangedRecord } from './changed-record.js';
import styles from './revision-page.module.css';

/** One commit: who, when, and each change with what it was before. */
export function RevisionPage() {
  const { number = '' } = usePageSearch();
  const { data, error, refetch } = useQuery({
    queryKey: ['revision', number],
    queryFn: ({ signal }) => client.commitOf(Number(number), signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <PageHeader
        title={text.history.revision(number)}
        over={<Link to="/history">{text.history.all}</Link>}
        under={data && <When at={data.at} />}
        actions={
          data && (
            <Link to="/compare" search={{ before: number }}>
              {text.history.compareWithNow}
            </Link>
          )
        }
      />
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data === null && <Empty title={text.history.noSuch} />}
      {data && <Commit entry={data} number={Number(number)} />}
    </>
  );
}

function Commit({ entry, number }: { entry: AuditEntry; number: number }) {
  const { credential, stack, source, counts, changes, truncated, request_id, digest } = entry;
  return (
    <div className={styles.columns}>
      <Card title={text.history.changes}>
        {changes.length === 0 && <p className={styles.muted}>{text.history.noChanges}</p>}
        <ul>
          {changes.map((change) => (
            <ChangedRecord key={change.address} change={change} before={number - 1} after={number} />
          ))}
        </ul>
        {truncated && <p className={styles.muted}>{text.history.truncated}</p>}
      </Card>
      <div className={styles.side}>
        <Card title={text.history.who}>
          <dl className={styles.facts}>
            <dt>{text.history.by}</dt>
            <dd>
              <Actor full by={credential} />
            </dd>
            <dt>{text.common.owner}</dt>
            <dd>{stack === undefined ? 'api' : <Badge>{stack}</Badge>}</dd>
            {source !== undefined && (
              <>
                <dt>{text.origin.gitCommit}</dt>
                <dd>
                  <Origin of={{ address: '', ...source }} />
                </dd>
                {provenanceText(source) !== '' && (
                  <>
                    <dt>{text.origin.givenBy}</dt>
                    <dd>
                      <GivenBy of={source} />
                    </dd>
                  </>
                )}
              </>
            )}
            <dt>{text.history.what}</dt>
            <dd>{text.history.counts(counts)}</dd>
            <dt>{text.errors.requestId}</dt>
            <dd>
              <code>{request_id}</code>
            </dd>
            <dt>{text.history.digest}</dt>
            <dd>
              <code>{digest}</code>
            </dd>
          </dl>
        </Card>
      </div>
      {number > 1 && (
        <div className={styles.access}>
          <AccessBetween before={String(number - 1)} after={String(number)} />
        </div>
      )}
    </div>
  );
}

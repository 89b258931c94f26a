import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { PageHeader } from '../../ui/page-header.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import { CommitList } from '../history/commit-list.js';
import { LintCard } from './lint-card.js';
import { Numbers } from './numbers.js';
import styles from './overview-page.module.css';

const COMMITS = 8;

/** The tenant at a glance: its revision, what changed lately, and which access rules are broken. */
export function OverviewPage() {
  const { tenant, person, scopes, sign_in, expires_at, idle_at } = useSession();
  const commits = useQuery({
    queryKey: ['audit', 'latest'],
    queryFn: ({ signal }) => client.commits({ limit: COMMITS }, signal),
    refetchInterval: 30_000,
  });
  const [latest] = commits.data?.items ?? [];
  return (
    <>
      <PageHeader
        title={tenant.name}
        over={text.overview.tenant}
        under={latest && text.overview.revision(latest.revision)}
      />
      <Numbers />
      <div className={styles.columns}>
        <div className={styles.side}>
          <Card title={text.overview.lately} aside={<Link to="/history">{text.overview.allCommits}</Link>}>
            {commits.error && <ProblemNote error={commits.error} retry={() => commits.refetch()} />}
            {commits.data === undefined && !commits.error && <p role="status">{text.common.loading}</p>}
            {commits.data !== undefined && <CommitList commits={commits.data.items} />}
          </Card>
        </div>
        <div className={styles.side}>
          {latest && <LintCard revision={latest.revision} />}
          <Card title={text.overview.you}>
            <dl className={styles.facts}>
              <dt>{text.overview.person}</dt>
              <dd>{person.name}</dd>
              <dt>{text.overview.signIn}</dt>
              <dd>{text.overview.by[sign_in]}</dd>
              <dt>{text.overview.may}</dt>
              <dd className={styles.scopes}>
                {scopes.map((scope) => (
                  <Badge key={scope}>{scope}</Badge>
                ))}
              </dd>
              <dt>{text.overview.ends}</dt>
              <dd>
                <When at={idle_at} /> {text.overview.unlessUsed}
                <br />
                <When at={expires_at} /> {text.overview.inAnyCase}
              </dd>
            </dl>
          </Card>
        </div>
      </div>
    </>
  );
}

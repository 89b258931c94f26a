import type { TenantSummary } from '@authz-service/sdk/console-client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { text } from '../../text/english.js';
import { Bars, Columns } from '../../ui/bars.js';
import { Card } from '../../ui/card.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import { AgentsCard } from './agents-card.js';
import { BrokenRules } from './broken-rules.js';
import { Figure } from './figure.js';
import styles from './overview-page.module.css';
import { summaryQuery } from './summary-query.js';

const { overview: words } = text;

const LISTED = 5;
const DAY_MS = 86_400_000;
/** The days after which a sign-off waits for a new review. */
const REVIEW_DAYS = 90;

/** The numbers of the tenant, and those that need attention. */
export function Numbers() {
  const { data, error, refetch } = useQuery(summaryQuery);
  return (
    <div className={styles.numbers}>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && (
        <>
          <People subjects={data.subjects} />
          <Grants grants={data.grants} />
          <Expiring expiring={data.expiring} />
          <Reviews reviews={data.reviews} />
        </>
      )}
      <AgentsCard />
      <BrokenRules />
    </div>
  );
}

function People({ subjects }: Pick<TenantSummary, 'subjects'>) {
  return (
    <Card title={words.people} aside={<Link to="/people">{words.allPeople}</Link>}>
      <Figure>{sum(subjects)}</Figure>
      {subjects.length === 0 && <p className={styles.fine}>{words.noPeople}</p>}
      <Bars
        label={words.people}
        bars={subjects.slice(0, LISTED).map(({ type, count }) => ({ key: type, label: type, count }))}
      />
    </Card>
  );
}

function Grants({ grants }: Pick<TenantSummary, 'grants'>) {
  const bars = grants.slice(0, LISTED).map(({ application, count }) => ({
    key: application ?? '',
    label:
      application === null ? (
        <Link to="/records" search={{ kind: 'role_assignment' }}>
          {words.ofTenant}
        </Link>
      ) : (
        <Link to="/review" search={{ scope: `application/${application}` }} title={application}>
          {application}
        </Link>
      ),
    count,
  }));
  return (
    <Card
      title={words.grants}
      aside={
        <Link to="/records" search={{ kind: 'role_assignment' }}>
          {text.records.title}
        </Link>
      }
    >
      <Figure>{sum(grants)}</Figure>
      <p className={styles.fine}>{grants.length === 0 ? words.noGrants : words.grantsHint}</p>
      <Bars label={words.grants} bars={bars} />
      {grants.length > LISTED && <p className={styles.fine}>{words.moreApplications(grants.length - LISTED)}</p>}
    </Card>
  );
}

function Expiring({ expiring: { count, per_day } }: Pick<TenantSummary, 'expiring'>) {
  const week = per_day.slice(0, 7).reduce((all, one) => all + one, 0);
  return (
    <Card title={words.expiring} aside={count > 0 && <Link to="/expiring">{words.allExpiring}</Link>}>
      <Figure>{count}</Figure>
      {count === 0 && <p className={styles.fine}>{words.noneExpiring}</p>}
      {count > 0 && (
        <figure>
          <Columns label={words.perDay(count, week)} counts={per_day} />
          <figcaption className={styles.ends}>
            <span>{words.today}</span>
            <span>{words.inDays(per_day.length)}</span>
          </figcaption>
        </figure>
      )}
    </Card>
  );
}

function Reviews({ reviews }: Pick<TenantSummary, 'reviews'>) {
  const waiting = reviews.filter(
    ({ signed_off_at: at }) => at === null || Date.parse(at) < Date.now() - REVIEW_DAYS * DAY_MS,
  );
  return (
    <Card title={words.reviews} aside={<Link to="/review">{words.allReviews}</Link>}>
      <Figure>{waiting.length}</Figure>
      {waiting.length === 0 && <p className={styles.fine}>{words.noneWaits}</p>}
      <ul className={styles.list} aria-label={words.reviews}>
        {waiting.slice(0, LISTED).map(({ application, signed_off_at: at }) => (
          <li key={application}>
            <Link to="/review" search={{ scope: `application/${application}` }}>
              {application}
            </Link>
            <span className={styles.fine}>
              {at === null ? (
                words.neverReviewed
              ) : (
                <>
                  {words.reviewed} <When at={at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {waiting.length > LISTED && <p className={styles.fine}>{words.moreWait(waiting.length - LISTED)}</p>}
    </Card>
  );
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((all, { count }) => all + count, 0);
}

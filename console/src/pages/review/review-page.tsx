import type { AccessReview, ReviewRow } from '@authz-service/sdk/console-client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { review } from '../../text/review.js';
import { signOff } from '../../text/sign-off.js';
import { Button } from '../../ui/button.js';
import type { Column } from '../../ui/data-table.js';
import { Empty } from '../../ui/empty.js';
import { TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { Paging } from '../../ui/paging.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { actionsText } from '../../ui/resource-lines.js';
import { When } from '../../ui/when.js';
import { isSameReview, type Reviewed, ReviewForm, reviewedOf, scopeOf } from './review-form.js';
import styles from './review-page.module.css';
import { ReviewTable } from './review-table.js';
import { filtered, tableOf, whoText } from './row-text.js';
import { saveCsv } from './save-csv.js';
import { SignOffForm } from './sign-off-form.js';
import { SignOffList } from './sign-off-list.js';

const PAGE_ROWS = 50;

/** For how long a review as of now is shown again without asking. */
const NOW_STALE_MS = 5_000;

/** Who has access to a part of the tenant. What is looked at stands in the address of the page. */
export function ReviewPage() {
  const search = usePageSearch();
  const reviewed = reviewedOf(search);
  const navigate = useNavigate();
  const { part, path, actions, at, as_of } = reviewed;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['access-review', part, path, actions, at, as_of],
    queryFn: ({ signal }) =>
      client.reviewAccess(scopeOf(reviewed), { ...(at && { at }), ...(as_of && { as_of }) }, { signal }),
    enabled: path !== '',
    // What is as of now grows old, but what somebody is reading changes only when they ask.
    staleTime: at === '' ? NOW_STALE_MS : Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <>
      <PageHeader title={review.title} under={review.under} />
      <div className={styles.page}>
        <ReviewForm
          key={`${part} ${path} ${actions} ${at}`}
          reviewed={reviewed}
          onShow={(next) => {
            if (isSameReview(next, reviewed)) void refetch();
            else void navigate({ to: '/review', search: { ...next } });
          }}
        />
        {path === '' && <Empty title={review.hint} />}
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {isFetching && <p role="status">{review.finding}</p>}
        {data !== undefined && (
          <Found key={`${part} ${path} ${actions} ${data.revision} ${data.as_of}`} found={data} reviewed={reviewed} />
        )}
        <SignOffList part={path === '' ? undefined : `${part}/${path}`} />
      </div>
    </>
  );
}

function Found({ found, reviewed }: { found: AccessReview; reviewed: Reviewed }) {
  const { q = '', page } = usePageSearch();
  const navigate = useNavigate();
  const { revision, as_of, rows, count, complete } = found;
  const [toChange, setToChange] = useState<ReadonlySet<string>>(new Set());
  const number = Math.max(1, Number(page ?? 1) || 1);
  const left = filtered(rows, q);
  const shown = left.slice((number - 1) * PAGE_ROWS, number * PAGE_ROWS);
  const go = (next: { q: string; page: number }) =>
    navigate({
      to: '/review',
      search: { ...reviewed, q: next.q, ...(next.page > 1 && { page: String(next.page) }) },
      replace: next.q !== q,
    });
  const mark = (id: string) => {
    const marked = new Set(toChange);
    if (!marked.delete(id)) marked.add(id);
    setToChange(marked);
  };
  const whole = complete && count === rows.length;
  const revisionNumber = revision.split('.')[0] ?? revision;
  return (
    <>
      <p>
        {review.asOf(count)}{' '}
        <Link to="/revision" search={{ number: revisionNumber }}>
          {text.history.revision(revisionNumber)}
        </Link>
        , <When at={as_of} />
      </p>
      {count > rows.length && <p className={styles.warning}>{review.tooMany(rows.length, count)}</p>}
      {!complete && <p className={styles.warning}>{review.incomplete}</p>}
      {count === 0 && <Empty title={review.nobody} />}
      {count > 0 && (
        <>
          <div className={styles.tools}>
            <TextField
              label={review.filter}
              hint={review.filterHint}
              type="search"
              value={q}
              onChange={(words) => go({ q: words, page: 1 })}
            />
            <Button onPress={() => saveCsv(review.fileName(reviewed.path, revisionNumber), tableOf(left))}>
              {review.export(left.length)}
            </Button>
          </div>
          {left.length === 0 && <Empty title={review.noneLeft} />}
          {shown.length > 0 && <ReviewTable rows={shown} more={whole ? [markColumn(toChange, mark)] : []} />}
          <p className={layout.hint}>{review.ways}</p>
          <Paging
            number={number}
            more={left.length > number * PAGE_ROWS}
            onPrevious={() => go({ q, page: number - 1 })}
            onNext={() => go({ q, page: number + 1 })}
          />
        </>
      )}
      {whole ? (
        <SignOffForm review={found} reviewed={reviewed} toChange={toChange} onDone={() => setToChange(new Set())} />
      ) : (
        <p className={layout.hint}>{signOff.tooLarge}</p>
      )}
    </>
  );
}

/** Marks rows that need change. */
function markColumn(marked: ReadonlySet<string>, mark: (id: string) => void): Column<ReviewRow> {
  return {
    title: signOff.mark,
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={signOff.markOf(`${whoText(row)}, ${actionsText(row.actions, row.actions_except)}`)}
        checked={marked.has(row.id)}
        onChange={() => mark(row.id)}
      />
    ),
  };
}

import type { AccessReview, ReviewRow } from '@authz-service/sdk/console-client';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.js';
import { conditionWords } from '../../api/condition-words.js';
import { text } from '../../text/english.js';
import { review } from '../../text/review.js';
import { signOff } from '../../text/sign-off.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/empty.js';
import { TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { Paging } from '../../ui/paging.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { actionsText } from '../../ui/resource-lines.js';
import { useSettled } from '../../ui/use-settled.js';
import { When } from '../../ui/when.js';
import { type AskedReview, allSubjects, askedPage, keyOfPage } from './asked-review.js';
import { Members } from './members.js';
import { isSameReview, type Reviewed, ReviewForm, reviewedOf, scopeOf, searchOf } from './review-form.js';
import styles from './review-page.module.css';
import { ReviewTable } from './review-table.js';
import { type KnownWords, tableOf, whoText } from './row-text.js';
import { saveCsv } from './save-csv.js';
import { SignOffForm } from './sign-off-form.js';
import { SignOffList } from './sign-off-list.js';

const PAGE_ROWS = 50;

/** For how long a filter has to stay the same before it is asked for. */
const SETTLED_MS = 300;

/** For how long a review as of now is shown again without asking. */
const NOW_STALE_MS = 5_000;

/** Who has access in a scope. What is looked at stands in the address of the page. */
export function ReviewPage() {
  const search = usePageSearch();
  const reviewed = reviewedOf(search);
  const navigate = useNavigate();
  const { kind, path, actions, at, as_of } = reviewed;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['access-review', kind, path, actions, at, as_of],
    queryFn: ({ signal }) =>
      client.reviewAccess(
        scopeOf(reviewed),
        { ...(at && { at }), ...(as_of && { as_of }), limit: PAGE_ROWS },
        { signal },
      ),
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
          key={`${kind} ${path} ${actions} ${at}`}
          reviewed={reviewed}
          onShow={(next) => {
            if (isSameReview(next, reviewed)) void refetch();
            else void navigate({ to: '/review', search: searchOf(next) });
          }}
        />
        {path === '' && <Empty title={review.hint} />}
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {isFetching && <p role="status">{review.finding}</p>}
        {data !== undefined && (
          <Found key={`${kind} ${path} ${actions} ${data.revision} ${data.as_of}`} found={data} reviewed={reviewed} />
        )}
        <SignOffList scope={path === '' ? undefined : `${kind}/${path}`} />
      </div>
    </>
  );
}

function Found({ found, reviewed }: { found: AccessReview; reviewed: Reviewed }) {
  const { revision, as_of, row_count, complete } = found;
  const [toChange, setToChange] = useState<ReadonlySet<string>>(new Set());
  const mark = (id: string) => {
    const marked = new Set(toChange);
    if (!marked.delete(id)) marked.add(id);
    setToChange(marked);
  };
  const revisionNumber = revision.split('.')[0] ?? revision;
  return (
    <>
      <p>
        {review.asOf(row_count)}{' '}
        <Link to="/revision" search={{ number: revisionNumber }}>
          {text.history.revision(revisionNumber)}
        </Link>
        , <When at={as_of} />
      </p>
      {!complete && <p className={styles.warning}>{review.incomplete}</p>}
      {row_count === 0 ? (
        <Empty title={review.nobody} />
      ) : (
        <Rows found={found} reviewed={reviewed} markOf={complete ? markOf(toChange, mark) : undefined} />
      )}
      {complete ? (
        <SignOffForm review={found} reviewed={reviewed} toChange={toChange} onDone={() => setToChange(new Set())} />
      ) : (
        <p className={layout.hint}>{signOff.tooLarge}</p>
      )}
    </>
  );
}

interface RowsProps {
  found: AccessReview;
  reviewed: Reviewed;
  /** Marks rows that need change, where that can be. */
  markOf: ((row: ReviewRow) => ReactNode) | undefined;
}

/** The rows page by page. */
function Rows({ found, reviewed, markOf }: RowsProps) {
  const { q = '', page } = usePageSearch();
  const navigate = useNavigate();
  const number = Math.max(1, Number(page ?? 1) || 1);
  const words = useSettled(q, SETTLED_MS).trim();
  const asked = { reviewed, revision: found.revision, as_of: found.as_of };
  const wanted = { limit: PAGE_ROWS, offset: (number - 1) * PAGE_ROWS, ...(words !== '' && { words }) };
  const isFirst = number === 1 && words === '';
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: keyOfPage(asked, wanted),
    queryFn: ({ signal }) => askedPage(asked, wanted, signal),
    ...(isFirst && { initialData: found }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const go = (next: { q: string; page: number }) =>
    navigate({
      to: '/review',
      search: { ...searchOf(reviewed), q: next.q, ...(next.page > 1 && { page: String(next.page) }) },
      replace: next.q !== q,
    });
  return (
    <>
      <div className={styles.tools}>
        <TextField
          label={review.filter}
          hint={review.filterHint}
          type="search"
          value={q}
          onChange={(typed) => go({ q: typed, page: 1 })}
        />
        {data !== undefined && <SaveRows asked={asked} words={words} all={data.listed.subjects} />}
      </div>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{review.finding}</p>}
      {data?.listed.rows === 0 && <Empty title={review.noneLeft} />}
      {data !== undefined && data.rows.length > 0 && (
        <ReviewTable
          rows={data.rows}
          stale={isPlaceholderData || words !== q.trim()}
          more={markOf === undefined ? [] : [{ title: signOff.mark, cell: markOf }]}
          membersOf={(row) =>
            row.subject.kind === 'members' && (
              <Members
                row={row}
                of={row.subject.of}
                asked={asked}
                words={words}
                beside={(member) => markOf?.(member)}
              />
            )
          }
        />
      )}
      <p className={layout.hint}>{review.ways}</p>
      <Paging
        number={number}
        more={(data?.listed.rows ?? 0) > number * PAGE_ROWS}
        onPrevious={() => go({ q, page: number - 1 })}
        onNext={() => go({ q, page: number + 1 })}
      />
    </>
  );
}

/** The words of all conditions of the rows. */
async function wordsOf(rows: readonly ReviewRow[]): Promise<KnownWords> {
  const all = [...new Set(rows.flatMap(({ condition }) => condition ?? []))];
  return new Map(
    await Promise.all(all.map(async (condition) => [condition, await conditionWords(condition)] as const)),
  );
}

/** Writes all subjects into a file, each by itself. */
function SaveRows({ asked, words, all }: { asked: AskedReview; words: string; all: number }) {
  const [progress, setProgress] = useState('');
  const save = useMutation({
    mutationFn: async () => {
      const rows = await allSubjects(asked, words, (done, of) => setProgress(review.exporting(done, of)));
      return { rows, conditions: await wordsOf(rows) };
    },
    onSuccess: ({ rows, conditions }) => {
      const number = asked.revision.split('.')[0] ?? asked.revision;
      saveCsv(review.fileName(asked.reviewed.path, number), tableOf(rows, conditions));
    },
  });
  return (
    <div className={styles.save}>
      <Button isDisabled={save.isPending} onPress={() => save.mutate()}>
        {review.export(all)}
      </Button>
      <p className={layout.hint} role="status">
        {save.isPending ? progress : review.exportHint}
      </p>
      {save.error && <ProblemNote error={save.error} retry={() => save.mutate()} />}
    </div>
  );
}

function markOf(marked: ReadonlySet<string>, mark: (id: string) => void) {
  return (row: ReviewRow): ReactNode => (
    <input
      type="checkbox"
      aria-label={signOff.markOf(`${whoText(row)}, ${actionsText(row.actions, row.actions_except)}`)}
      checked={marked.has(row.id)}
      onChange={() => mark(row.id)}
    />
  );
}

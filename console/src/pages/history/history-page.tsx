import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { Empty } from '../../ui/empty.js';
import { TextField } from '../../ui/field.js';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { Paging } from '../../ui/paging.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { CommitList } from './commit-list.js';
import { beginningOf, dayBefore, endOf } from './days.js';
import styles from './history-page.module.css';

const FILTERS = ['actor', 'subject', 'record', 'since', 'until'] as const;

/** From so many days ago to so many. */
const PERIODS = [
  { label: text.history.today, from: 0, to: 0 },
  { label: text.history.yesterday, from: 1, to: 1 },
  { label: text.history.week, from: 6, to: 0 },
];

/** Every commit of the tenant, the latest first, or those that the filters in the address fit. */
export function HistoryPage() {
  const { cursor, page, ...search } = usePageSearch();
  const filter = Object.fromEntries(FILTERS.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  const { since = '', until = '' } = filter;
  const end = endOf(until);
  const period = { ...(since && { since: beginningOf(since) }), ...(until && { until: end }) };
  const navigate = useNavigate();
  const { history } = useRouter();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['audit', filter, cursor],
    queryFn: ({ signal }) => client.commits({ ...filter, ...period, cursor, limit: 50 }, signal),
    placeholderData: keepPreviousData,
  });
  const number = Number(page ?? 1);
  return (
    <>
      <PageHeader
        title={text.history.title}
        under={text.history.under}
        actions={
          <Link to="/compare" search={{ before: period.since ?? '', after: Date.parse(end) > Date.now() ? '' : end }}>
            {since === '' ? text.history.compare : text.history.comparePeriod}
          </Link>
        }
      />
      <Filters
        key={JSON.stringify(filter)}
        filter={filter}
        onChange={(next) => navigate({ to: '/history', search: next })}
      />
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && (
        <Card title={text.history.commits}>
          {data.items.length === 0 && <Empty title={text.history.none} />}
          <CommitList commits={data.items} />
          {data.searched_since !== undefined && (
            <p className={styles.hint}>{text.history.searchedSince(data.searched_since.revision)}</p>
          )}
        </Card>
      )}
      <Paging
        number={number}
        more={data?.next_cursor !== undefined && !isPlaceholderData}
        onPrevious={() => history.back()}
        onNext={() =>
          navigate({ to: '/history', search: { ...filter, cursor: data?.next_cursor ?? '', page: String(number + 1) } })
        }
      />
    </>
  );
}

function Filters({
  filter,
  onChange,
}: {
  filter: Record<string, string>;
  onChange: (filter: Record<string, string>) => void;
}) {
  const [filled, setFilled] = useState(filter);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(filled);
  };
  return (
    <search>
      <form className={styles.filters} onSubmit={submit}>
        {FILTERS.map((name) => (
          <TextField
            key={name}
            label={text.history.filters[name]}
            placeholder={text.history.examples[name]}
            value={filled[name] ?? ''}
            onChange={(value) => setFilled({ ...filled, [name]: value })}
          />
        ))}
        <Button type="submit">{text.history.show}</Button>
        <nav className={styles.periods} aria-label={text.history.periods}>
          {PERIODS.map(({ label, from, to }) => (
            <Link
              key={label}
              to="/history"
              search={{ ...filter, since: dayBefore(new Date(), from), until: dayBefore(new Date(), to) }}
            >
              {label}
            </Link>
          ))}
        </nav>
        {Object.keys(filter).length > 0 && (
          <Button kind="quiet" onPress={() => onChange({})}>
            {text.records.clear}
          </Button>
        )}
      </form>
    </search>
  );
}

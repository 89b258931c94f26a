import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { people as words } from '../../text/people.js';
import { DataTable } from '../../ui/data-table.js';
import { Empty } from '../../ui/empty.js';
import { Filter } from '../../ui/filter.js';
import layout from '../../ui/layout.module.css';
import { Owner } from '../../ui/owner.js';
import { PageHeader } from '../../ui/page-header.js';
import { type PageSearch, usePageSearch } from '../../ui/page-search.js';
import { Paging } from '../../ui/paging.js';
import { PersonLink } from '../../ui/person-link.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { pathOf } from '../../ui/record-link.js';
import { presentSuspension, SuspendedBadge, type Suspension } from '../../ui/suspended-badge.js';
import { When } from '../../ui/when.js';
import styles from './person-page.module.css';

const PAGE_SIZE = 50;

/** All subjects, found by their names; each leads to what they can do. */
export function PeoplePage() {
  const { q = '', cursor, page } = usePageSearch();
  const navigate = useNavigate();
  const { history } = useRouter();
  const number = Number(page ?? 1);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ['people', q, cursor],
    queryFn: ({ signal }) => subjects(q.trim(), cursor, signal),
    placeholderData: keepPreviousData,
  });
  const go = (search: PageSearch) => navigate({ to: '/people', search, replace: 'q' in search && q !== '' });
  return (
    <>
      <PageHeader title={words.title} under={words.under} />
      <div className={layout.form}>
        <search>
          <Filter label={words.find} hint={words.findHint} value={q} onChange={(typed) => go({ q: typed })} />
        </search>
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {data === undefined && error === null && <p role="status">{text.common.loading}</p>}
        {data?.items.length === 0 && <Empty title={q === '' ? words.none : words.noneFound} />}
        {data !== undefined && data.items.length > 0 && (
          <DataTable
            label={words.title}
            rows={data.items}
            stale={isPlaceholderData}
            keyOf={({ address }) => address}
            columns={[
              {
                title: words.name,
                cell: (record) => <Named record={record} />,
              },
              { title: words.subject, cell: ({ address }) => pathOf(address) },
              { title: text.common.owner, cell: ({ managed_by }) => <Owner name={managed_by} />, lesser: true },
              { title: text.common.changed, cell: ({ updated_at }) => <When at={String(updated_at)} />, lesser: true },
            ]}
          />
        )}
        <Paging
          number={number}
          more={data?.next_cursor !== undefined && !isPlaceholderData}
          onPrevious={() => history.back()}
          onNext={() => go({ ...(q !== '' && { q }), cursor: data?.next_cursor ?? '', page: String(number + 1) })}
        />
      </div>
    </>
  );
}

/** A subject by its name, with the suspension that counts now. */
function Named({ record }: { record: FoundRecord }) {
  const suspension = presentSuspension(record as unknown as Suspension);
  return (
    <>
      <PersonLink subject={pathOf(record.address)}>{record.name}</PersonLink>
      {suspension !== undefined && (
        <p className={styles.state}>
          <SuspendedBadge />{' '}
          {suspension.suspended_until !== undefined && (
            <>
              {words.until} <When at={suspension.suspended_until} />{' '}
            </>
          )}
          {suspension.suspension_reason}
        </p>
      )}
    </>
  );
}

async function subjects(q: string, cursor: string | undefined, signal: AbortSignal) {
  if (q !== '') return await client.search({ q, kind: 'subject', limit: PAGE_SIZE, cursor }, signal);
  const listed = await client.records('subject').page({}, { limit: PAGE_SIZE, cursor, signal });
  return listed as unknown as { items: FoundRecord[]; next_cursor?: string };
}

import { COLLECTIONS } from '@authz-service/sdk/generated/record-types';
import type { Kind } from '@authz-service/sdk/wire';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { KIND_TEXTS, text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { Empty } from '../../ui/empty.js';
import { Filter } from '../../ui/filter.js';
import { intoView } from '../../ui/into-view.js';
import { PageHeader } from '../../ui/page-header.js';
import { type PageSearch, usePageSearch } from '../../ui/page-search.js';
import { Paging } from '../../ui/paging.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { columnsOf } from './record-columns.js';
import styles from './records-page.module.css';

const PAGE_SIZE = 50;
const KINDS = Object.keys(COLLECTIONS) as Kind[];

/** The kinds whose records may belong to an application. */
const IN_APPLICATIONS: ReadonlySet<Kind> = new Set(['resource_type', 'resource', 'role', 'policy']);

/** Each kind as a table of pages; kind, words and filters are in the address. */
export function RecordsPage() {
  const search = usePageSearch();
  const kind = KINDS.find((one) => one === search.kind) ?? 'subject';
  const { q = '', application = '', owner = '', cursor } = search;
  const navigate = useNavigate();
  const { history } = useRouter();
  const number = Number(search.page ?? 1);
  const go = (changed: PageSearch) => {
    const next = { kind, q, application, owner, ...changed };
    void navigate({ to: '/records', search: next, replace: 'q' in changed && q !== '' });
  };
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ['records', kind, q, application, owner, cursor],
    queryFn: ({ signal }) => page({ kind, q, application, owner, cursor, signal }),
    placeholderData: (previous, query) => (query?.queryKey[1] === kind ? keepPreviousData(previous) : undefined),
  });
  const many = KIND_TEXTS[kind].many.toLowerCase();
  const filtered = q !== '' || application !== '' || owner !== '';
  return (
    <>
      <PageHeader title={KIND_TEXTS[kind].many} over={text.records.title} />
      <div className={styles.columns}>
        <nav aria-label={text.records.kinds} className={styles.kinds}>
          <ul>
            {KINDS.map((one) => (
              <li key={one}>
                <Link
                  to="/records"
                  search={{ kind: one }}
                  aria-current={one === kind ? 'page' : undefined}
                  ref={one === kind ? intoView : null}
                >
                  {KIND_TEXTS[one].many}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className={styles.table}>
          <search className={styles.filters}>
            <Filter
              label={text.records.filter}
              hint={text.records.filterHint}
              value={q}
              onChange={(to) => go({ q: to })}
            />
            {IN_APPLICATIONS.has(kind) && (
              <Filter label={text.records.application} value={application} onChange={(to) => go({ application: to })} />
            )}
            <Filter label={text.records.owner} value={owner} onChange={(to) => go({ owner: to })} />
            {filtered && (
              <Button small kind="quiet" onPress={() => go({ q: '', application: '', owner: '' })}>
                {text.records.clear}
              </Button>
            )}
          </search>
          {error && <ProblemNote error={error} retry={() => refetch()} />}
          {data === undefined && error === null && <p role="status">{text.common.loading}</p>}
          {data !== undefined && data.items.length > 0 && (
            <DataTable
              label={KIND_TEXTS[kind].many}
              columns={columnsOf(kind, data.items)}
              rows={data.items}
              keyOf={({ address }) => address}
              stale={isPlaceholderData}
            />
          )}
          {data?.items.length === 0 && (
            <Empty title={filtered ? text.records.emptyFiltered(many) : text.records.empty(many)}>
              {!filtered && <p>{text.records.declare}</p>}
            </Empty>
          )}
          <Paging
            number={number}
            more={data?.next_cursor !== undefined && !isPlaceholderData}
            onPrevious={() => history.back()}
            onNext={() => go({ cursor: data?.next_cursor ?? '', page: String(number + 1) })}
          />
        </div>
      </div>
    </>
  );
}

interface RecordsQuery {
  kind: Kind;
  q: string;
  application: string;
  owner: string;
  cursor: string | undefined;
  signal: AbortSignal;
}

/** Words are looked up in the index of names; without words, the list is in the order of addresses. */
async function page({ kind, q, application, owner, cursor, signal }: RecordsQuery) {
  const given = {
    ...(application !== '' && { application }),
    ...(owner !== '' && { managed_by: owner }),
  };
  if (q.trim() !== '') return await client.search({ q, kind, ...given, limit: PAGE_SIZE, cursor }, signal);
  const listed = await client.records(kind).page(given, { limit: PAGE_SIZE, cursor, signal });
  return listed as unknown as { items: FoundRecord[]; next_cursor?: string };
}

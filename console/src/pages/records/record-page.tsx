import type { WireRecord } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { CONSOLE_STACK } from '../../api/draft.js';
import { KIND_TEXTS, text } from '../../text/english.js';
import { declaredFields } from '../../ui/declared-fields.js';
import { lazily } from '../../ui/lazily.js';
import { Owner } from '../../ui/owner.js';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { isDirectory, kindOf, pathOf } from '../../ui/record-link.js';
import { Origin, useOrigins } from '../../ui/record-origin.js';
import { When } from '../../ui/when.js';
import { hasStructure } from '../structure/neighbours.js';
import { DirectoryStatusCard } from './directory-status.js';
import { FieldValue } from './field-value.js';
import { Mentions } from './mentions.js';
import { titleOf } from './record-columns.js';
import { RecordHistory } from './record-history.js';
import styles from './record-page.module.css';

const RawRecord = lazily(async () => (await import('./raw-record.js')).default);

/** One record: its fields, whom it belongs to, what mentions it, and who changed it when. */
export function RecordPage() {
  const { address = '' } = usePageSearch();
  const kind = kindOf(address);
  const { data, error, refetch } = useQuery({
    queryKey: ['record', address],
    queryFn: async ({ signal }) => {
      const record: WireRecord = await client.records(kind).get(pathOf(address), { signal });
      return record as unknown as FoundRecord;
    },
  });
  const names = KIND_TEXTS[kind] ?? { one: text.records.title, many: text.records.title };
  return (
    <>
      <PageHeader
        title={pathOf(address)}
        over={
          <Link to="/records" search={{ kind }}>
            {text.records.back(names.many.toLowerCase())}
          </Link>
        }
        under={names.one}
        actions={
          <>
            {data !== undefined && <AskAbout kind={kind} path={pathOf(address)} />}
            {data !== undefined && hasStructure(kind) && (
              <Link to="/structure" search={{ focus: address }}>
                {text.navigation.structure}
              </Link>
            )}
            {data !== undefined && data.scopes === undefined && (
              <Link to="/change" search={{ edit: address }}>
                {text.records.change}
              </Link>
            )}
          </>
        }
      />
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && error === null && <p role="status">{text.common.loading}</p>}
      {data !== undefined && <Details record={data} />}
    </>
  );
}

/** Whether an owner is a stack that is declared somewhere: neither nobody, nor the console, nor a directory. */
function isStack(owner: string): boolean {
  return owner !== 'api' && owner !== CONSOLE_STACK && !isDirectory(owner);
}

/** Leads from whom or what access is about to the questions about it. */
function AskAbout({ kind, path }: { kind: string; path: string }) {
  if (kind === 'subject')
    return (
      <Link to="/person" search={{ subject: path }}>
        {text.records.whatMay}
      </Link>
    );
  if (kind === 'application' || kind === 'resource_type' || kind === 'resource')
    return (
      <Link to="/review" search={{ scope: `${kind}/${path}` }}>
        {text.records.whoMay}
      </Link>
    );
  return null;
}

function Details({ record }: { record: FoundRecord }) {
  const fields = Object.keys(declaredFields(record));
  const origins = useOrigins([record.address]);
  const origin = origins?.get(record.address);
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        <section className={styles.card} aria-labelledby="fields">
          <h2 id="fields">{text.records.fields}</h2>
          <dl className={styles.fields}>
            {fields.map((field) => (
              <div key={field}>
                <dt>{titleOf(field)}</dt>
                <dd>
                  <FieldValue record={record} field={field} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
        {record.kind === 'directory' && <DirectoryStatusCard name={String(record.name)} />}
        <Mentions address={record.address} />
      </div>
      <div className={styles.side}>
        <section className={styles.card} aria-labelledby="service">
          <h2 id="service">{text.records.setBy}</h2>
          <dl className={styles.set}>
            <dt>{text.common.owner}</dt>
            <dd>
              <Owner name={record.managed_by} />
            </dd>
            {(origin !== undefined || isStack(record.managed_by)) && (
              <>
                <dt>{text.origin.declaredIn}</dt>
                <dd>{origin === undefined ? origins && text.origin.unknown : <Origin of={origin} />}</dd>
              </>
            )}
            <dt>{text.records.id}</dt>
            <dd>
              <code>{record.id}</code>
            </dd>
            <dt>{text.records.address}</dt>
            <dd>
              <code>{record.address}</code>
            </dd>
            <dt>{text.records.created}</dt>
            <dd>
              <When at={String(record.created_at)} />
            </dd>
            <dt>{text.common.changed}</dt>
            <dd>
              <When at={String(record.updated_at)} /> {text.common.atRevision(String(record.revision))}
            </dd>
          </dl>
        </section>
        <RecordHistory address={record.address} />
        <section className={styles.card} aria-labelledby="raw">
          <h2 id="raw">{text.records.raw}</h2>
          <RawRecord record={record} />
        </section>
      </div>
    </div>
  );
}

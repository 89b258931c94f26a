import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { text } from '../../text/english.js';
import { everyoneText } from '../../text/everyone.js';
import { DataTable } from '../../ui/data-table.js';
import { Empty } from '../../ui/empty.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { PersonLink } from '../../ui/person-link.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { kindOf, pathOf, RecordLink } from '../../ui/record-link.js';
import { When } from '../../ui/when.js';
import styles from './overview-page.module.css';
import { summaryQuery } from './summary-query.js';

const { overview: words } = text;

/** Memberships and grants that end soon. */
export function ExpiringPage() {
  const { data, error, refetch } = useQuery(summaryQuery);
  const links = data?.expiring.links ?? [];
  return (
    <>
      <PageHeader
        title={words.expiring}
        over={<Link to="/">{text.navigation.overview}</Link>}
        under={words.expiringUnder}
      />
      <div className={layout.form}>
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {data === undefined && !error && <p role="status">{text.common.loading}</p>}
        {data !== undefined && links.length === 0 && <Empty title={words.noneExpiring} />}
        {links.length > 0 && (
          <DataTable
            label={words.expiring}
            rows={links}
            keyOf={({ address }) => address}
            columns={[
              { title: words.whose, cell: ({ to, name }) => <Whose to={to} name={name} /> },
              { title: words.what, cell: ({ given }) => <RecordLink address={given}>{given}</RecordLink> },
              { title: words.when, cell: ({ expires_at }) => <When at={expires_at} /> },
              {
                title: words.link,
                cell: ({ address }) => <RecordLink address={address}>{text.records.theLink}</RecordLink>,
                lesser: true,
              },
            ]}
          />
        )}
        {data !== undefined && data.expiring.count > links.length && (
          <p className={layout.hint}>{words.expiringMore(links.length, data.expiring.count)}</p>
        )}
      </div>
    </>
  );
}

function Whose({ to, name }: { to: string; name: string | undefined }) {
  const kind: string = kindOf(to);
  if (kind === 'subject')
    return (
      <>
        <PersonLink subject={pathOf(to)}>{name}</PersonLink>
        {name !== undefined && <p className={styles.fine}>{pathOf(to)}</p>}
      </>
    );
  return kind === 'everyone' ? everyoneText(to) : <RecordLink address={to}>{to}</RecordLink>;
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.js';
import { directories } from '../../text/directories.js';
import { text } from '../../text/english.js';
import { people as words } from '../../text/people.js';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { isDirectory, pathOf, RecordLink } from '../../ui/record-link.js';
import { presentSuspension } from '../../ui/suspended-badge.js';
import { ChangeSuspension } from './change-suspension.js';
import { PersonAccess } from './person-access.js';
import { PersonChanges } from './person-changes.js';
import { PersonGrants } from './person-grants.js';
import styles from './person-page.module.css';
import { SuspendedPerson } from './suspended-person.js';

/** As many as the service lists at once. */
const ROWS_MAX = 1000;

/** The page of one subject: what it can do, what is given to it, and what it gained and lost lately. */
export function PersonPage() {
  const { subject = '' } = usePageSearch();
  const address = `subject/${subject}`;
  const record = useQuery({
    queryKey: ['record', address],
    queryFn: ({ signal }) => client.records('subject').get(subject, { signal }),
  });
  const access = useQuery({
    queryKey: ['access-review', 'subject', subject],
    queryFn: ({ signal }) => client.reviewAccess({ scope: address }, { limit: ROWS_MAX }, { signal }),
    refetchOnWindowFocus: false,
  });
  const name = record.data?.name ?? subject;
  const owner = record.data?.managed_by ?? '';
  const suspension = presentSuspension(record.data);
  return (
    <>
      <PageHeader
        title={name}
        over={<Link to="/people">{words.all}</Link>}
        under={
          <>
            {name !== subject && <p>{subject}</p>}
            {isDirectory(owner) && (
              <p>
                {directories.from} <RecordLink address={owner}>{pathOf(owner)}</RecordLink>
              </p>
            )}
          </>
        }
        actions={
          <>
            <Link to="/ask" search={{ subject }}>
              {words.ask}
            </Link>
            <Link to="/structure" search={{ focus: address }}>
              {text.navigation.structure}
            </Link>
            <Link to="/record" search={{ address }}>
              {words.record}
            </Link>
            {record.data !== undefined && (
              <ChangeSuspension subject={subject} name={name} suspended={suspension !== undefined} />
            )}
          </>
        }
      />
      {record.error ? (
        <ProblemNote error={record.error} retry={() => record.refetch()} />
      ) : (
        <div className={styles.columns}>
          {record.data !== undefined && suspension !== undefined && (
            <SuspendedPerson subject={subject} name={name} suspension={suspension} revision={record.data.revision} />
          )}
          <div className={styles.side}>
            {access.error && <ProblemNote error={access.error} retry={() => access.refetch()} />}
            {access.data === undefined && !access.error && <p role="status">{words.finding}</p>}
            {access.data !== undefined && (
              <PersonAccess name={name} found={access.data} suspended={suspension !== undefined} />
            )}
          </div>
          <div className={styles.side}>
            <PersonGrants subject={subject} revision={access.data?.revision} />
            <PersonChanges key={subject} subject={subject} />
          </div>
        </div>
      )}
    </>
  );
}

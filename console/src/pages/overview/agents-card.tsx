import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { DataTable } from '../../ui/data-table.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import styles from './overview-page.module.css';

const LISTED = 8;

/** So much of an id is shown of agents of the same name. */
const ID_SHOWN = 8;

const { overview: words } = text;

/** What agents say of themselves: which revision each serves, those that lag first. */
export function AgentsCard() {
  const { data, error, refetch } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => client.agents({ signal }),
    refetchInterval: 30_000,
  });
  return (
    <Card title={words.agents}>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data?.total === 0 && <p className={styles.fine}>{words.noAgents}</p>}
      {data !== undefined && data.total > 0 && (
        <>
          <p>{words.enforcing(data.enforcing, data.total)}</p>
          <DataTable
            label={words.agents}
            rows={data.agents.slice(0, LISTED)}
            keyOf={({ id }) => id}
            columns={[
              {
                title: words.agent,
                cell: ({ id, name, error: fault }) => (
                  <>
                    <span title={id}>{name ?? id}</span>{' '}
                    {isShared(name, data.agents) && <span className={styles.fine}>{id.slice(0, ID_SHOWN)}</span>}{' '}
                    {fault !== null && <Badge tone="bad">{fault}</Badge>}
                  </>
                ),
              },
              {
                title: words.serves,
                cell: ({ lag, diverged, revision, publishes }) => (
                  <span title={revision ?? undefined}>
                    <Badge tone={lag === 0 && !publishes ? 'good' : 'warn'}>{words.behind(lag, diverged)}</Badge>
                  </span>
                ),
              },
              { title: words.heard, cell: ({ last_seen }) => <When at={last_seen} /> },
              { title: words.version, cell: ({ version }) => version, lesser: true },
            ]}
          />
          {data.total > LISTED && <p className={styles.fine}>{words.moreAgents(data.total - LISTED)}</p>}
          <p className={styles.fine}>{words.agentsHint}</p>
        </>
      )}
      {data !== undefined && data.publishers > 0 && <p className={styles.fine}>{words.publishers(data.publishers)}</p>}
      {data?.complete === false && <p className={styles.fine}>{words.partial}</p>}
    </Card>
  );
}

function isShared(name: string | null, agents: readonly { name: string | null }[]): boolean {
  return name !== null && agents.filter((one) => one.name === name).length > 1;
}

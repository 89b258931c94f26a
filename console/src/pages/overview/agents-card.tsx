import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { agents } from '../../text/agents.js';
import { text } from '../../text/english.js';
import { Card } from '../../ui/card.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { AgentBadge } from '../agents/agent-badge.js';
import { stateOf } from '../agents/agent-state.js';
import { agentsQuery } from '../agents/agents-query.js';
import { Figure } from './figure.js';
import styles from './overview-page.module.css';

const LISTED = 5;

const { overview: words } = text;

/** How many agents serve the newest revision, and which do not. */
export function AgentsCard() {
  const { data, error, refetch } = useQuery(agentsQuery);
  const others = data?.agents.filter((agent) => stateOf(agent) !== 'newest') ?? [];
  return (
    <Card title={words.agents} aside={<Link to="/agents">{words.allAgents}</Link>}>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && <Figure>{data.total === 0 ? 0 : `${data.enforcing} / ${data.total}`}</Figure>}
      {data !== undefined && (
        <p className={styles.fine}>{data.total === 0 ? agents.none : agents.enforcing(data.enforcing, data.total)}</p>
      )}
      {data !== undefined && data.total > 0 && (
        <meter
          className={styles.meter}
          aria-label={agents.enforcing(data.enforcing, data.total)}
          max={data.total}
          value={data.enforcing}
        />
      )}
      <ul className={styles.list} aria-label={words.agents}>
        {others.slice(0, LISTED).map((agent) => (
          <li key={agent.id}>
            <Link to="/agent" search={{ id: agent.id }}>
              {agent.name ?? agent.id}
            </Link>
            <AgentBadge agent={agent} />
          </li>
        ))}
      </ul>
      {others.length > LISTED && <p className={styles.fine}>{words.moreWait(others.length - LISTED)}</p>}
      {data !== undefined && data.publishers > 0 && <p className={styles.fine}>{words.publishers(data.publishers)}</p>}
      {data?.complete === false && <p className={styles.fine}>{agents.partial}</p>}
    </Card>
  );
}

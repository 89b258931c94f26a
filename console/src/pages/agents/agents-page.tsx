import type { ReportedAgent } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { agents as words } from '../../text/agents.js';
import { text } from '../../text/english.js';
import { DataTable } from '../../ui/data-table.js';
import { Empty } from '../../ui/empty.js';
import { Filter, FilterChoice } from '../../ui/filter.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import { AgentBadge } from './agent-badge.js';
import { type AgentState, stateOf } from './agent-state.js';
import styles from './agents-page.module.css';
import { agentsQuery } from './agents-query.js';

const STATES = Object.keys(words.states) as AgentState[];

/** All agents that have asked for the bundle; words and state are in the address. */
export function AgentsPage() {
  const { q = '', state = '' } = usePageSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(agentsQuery);
  const go = (changed: { q?: string; state?: string }) =>
    navigate({ to: '/agents', search: { q, state, ...changed }, replace: 'q' in changed });
  const shown = data?.agents.filter((agent) => hasWords(agent, q) && (state === '' || stateOf(agent) === state)) ?? [];
  return (
    <>
      <PageHeader title={words.title} under={words.under} />
      <div className={layout.form}>
        <search className={styles.filters}>
          <Filter label={words.find} hint={words.findHint} value={q} onChange={(typed) => go({ q: typed })} />
          <FilterChoice
            label={words.state}
            value={state}
            choices={[['', words.anyState], ...STATES.map((one) => [one, words.states[one]] as const)]}
            onChange={(chosen) => go({ state: chosen })}
          />
        </search>
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {data === undefined && !error && <p role="status">{text.common.loading}</p>}
        {data !== undefined && data.total > 0 && <p>{words.enforcing(data.enforcing, data.total)}</p>}
        {data !== undefined && shown.length === 0 && <Empty title={data.total === 0 ? words.none : words.noneFound} />}
        {shown.length > 0 && (
          <DataTable
            label={words.title}
            rows={shown}
            keyOf={({ id }) => id}
            columns={[
              { title: words.agent, cell: ({ id, name }) => <AgentLink id={id} name={name} /> },
              { title: words.state, cell: (agent) => <AgentBadge agent={agent} /> },
              { title: words.serves, cell: ({ revision }) => numberOf(revision), figures: true },
              { title: words.lag, cell: ({ lag }) => words.behind(lag) },
              { title: words.heard, cell: ({ last_seen }) => <When at={last_seen} /> },
              { title: words.credential, cell: ({ credential }) => credential?.name, lesser: true },
              { title: words.version, cell: ({ version }) => version, lesser: true },
            ]}
          />
        )}
        {data?.more === true && <p className={layout.hint}>{words.more(data.agents.length, data.total)}</p>}
        {data?.complete === false && <p className={layout.hint}>{words.partial}</p>}
      </div>
    </>
  );
}

/** Leads to an agent. Several may have one name: enough of the id stands beside it. */
function AgentLink({ id, name }: Pick<ReportedAgent, 'id' | 'name'>) {
  return (
    <>
      <Link to="/agent" search={{ id }}>
        {name ?? id}
      </Link>{' '}
      {name !== null && <span className={styles.id}>{id.slice(0, ID_SHOWN)}</span>}
    </>
  );
}

const ID_SHOWN = 8;

/** `42` of `42.9f86d081884c7d65`. */
function numberOf(revision: string | null): string {
  return revision?.split('.')[0] ?? '';
}

function hasWords({ id, name, credential }: ReportedAgent, q: string): boolean {
  const all = [id, name, credential?.name].join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

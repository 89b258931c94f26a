import type { AgentList, ReportedAgent } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agents as words } from '../../text/agents.js';
import { text } from '../../text/english.js';
import { Card } from '../../ui/card.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Empty } from '../../ui/empty.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import { AgentBadge } from './agent-badge.js';
import { stateOf } from './agent-state.js';

import styles from './agents-page.module.css';
import { agentsQuery } from './agents-query.js';

/** One agent, by its own last report. */
export function AgentPage() {
  const { id = '' } = usePageSearch();
  const { data, error, refetch } = useQuery(agentsQuery);
  const agent = data?.agents.find((one) => one.id === id);
  return (
    <>
      <PageHeader
        title={agent?.name ?? id}
        over={<Link to="/agents">{words.all}</Link>}
        under={agent && words.stateHints[stateOf(agent)]}
      />
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && agent === undefined && <Missing from={data} />}
      {agent !== undefined && <Facts agent={agent} newest={data?.revision ?? ''} />}
    </>
  );
}

/** An agent that the list does not have: it may be one of those that are left out. */
function Missing({ from: { more, complete } }: { from: Pick<AgentList, 'more' | 'complete'> }) {
  if (more || !complete) return <Empty title={words.notListed} />;
  return <Empty title={words.noSuch}>{words.noSuchWhy}</Empty>;
}

function Facts({ agent, newest }: { agent: ReportedAgent; newest: string }) {
  const { id, version, credential, revision, lag, last_seen, age_seconds, max_age_seconds, error } = agent;
  const number = revision?.split('.')[0];
  const facts: [string, ReactNode][] = [
    [words.state, <AgentBadge key="state" agent={agent} />],
    [
      words.serves,
      number === undefined ? (
        text.common.none
      ) : (
        <>
          <Link to="/revision" search={{ number }}>
            {text.history.revision(number)}
          </Link>
          {lag !== null && lag > 0 && (
            <>
              {' · '}
              <Link to="/compare" search={{ before: number, after: newest.split('.')[0] ?? '' }}>
                {words.missing}
              </Link>
            </>
          )}
        </>
      ),
    ],
    [words.lag, lag === null ? text.common.none : words.behind(lag)],
    [words.heard, <When key="seen" at={last_seen} />],
    [words.age, words.seconds(age_seconds)],
    [words.maxAge, words.seconds(max_age_seconds)],
    [words.error, error ?? text.common.none],
    [words.version, version ?? text.common.none],
    [words.credential, credential?.name ?? text.common.none],
    [words.id, <code key="id">{id}</code>],
  ];
  return (
    <div className={layout.form}>
      <Card title={words.facts}>
        <dl className={styles.facts}>
          {facts.map(([title, value]) => (
            <Fact key={title} title={title} value={value} />
          ))}
        </dl>
      </Card>
      <p className={layout.hint}>{words.retire}</p>
      <CodeBlock label={words.retireLabel} code={`servicectl agents retire ${id}`} />
    </div>
  );
}

function Fact({ title, value }: { title: string; value: ReactNode }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </>
  );
}

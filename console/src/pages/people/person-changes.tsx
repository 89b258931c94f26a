import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { found } from '../../api/found.js';
import { findings as texts } from '../../text/findings.js';
import { people as words } from '../../text/people.js';
import { Actor } from '../../ui/actor.js';
import { Badge } from '../../ui/badge.js';
import { Breakable } from '../../ui/breakable.js';
import { Card } from '../../ui/card.js';
import { Condition } from '../../ui/condition.js';
import { type ShownDelta, stays, TONES, tellingCauses } from '../../ui/findings-table.js';
import { GitCommit } from '../../ui/git-commit.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { kindOf, pathOf, RecordLink } from '../../ui/record-link.js';
import { actionsText, resourceLines } from '../../ui/resource-lines.js';
import { When } from '../../ui/when.js';
import { numberOf } from '../history/commit-list.js';
import styles from './person-page.module.css';

const DAYS = 30;
const DAY_MS = 86_400_000;

type Finding = ShownDelta['findings'][number];

/** Losses come first: they are what people ask about. */
const ORDER: readonly Finding['change'][] = ['lost', 'narrowed', 'changed', 'unknown', 'widened', 'gained'];

/** The access that a subject lost and gained lately, and by whose change. */
export function PersonChanges({ subject }: { subject: string }) {
  const [since] = useState(() => new Date(Date.now() - DAYS * DAY_MS).toISOString());
  const { data, error, refetch } = useQuery({
    queryKey: ['access-changes', subject, since],
    queryFn: ({ signal }) => client.accessChanges(`subject/${subject}`, since, { signal }),
    refetchOnWindowFocus: false,
  });
  const findings = ((data?.findings ?? []) as unknown as Finding[]).toSorted(
    (left, right) => ORDER.indexOf(left.change) - ORDER.indexOf(right.change),
  );
  return (
    <Card title={words.lately}>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{words.latelyFinding}</p>}
      {data !== undefined && findings.length === 0 && <p className={layout.hint}>{words.latelyNone}</p>}
      {data?.complete === false && <p className={styles.warning}>{words.incomplete}</p>}
      {findings.length > 0 && (
        <ul className={styles.changes} aria-label={words.lately}>
          {findings.map((finding) => (
            <li key={finding.id}>
              <Changed finding={finding} subject={subject} since={since} />
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && (
        <p className={layout.hint}>
          {words.since}{' '}
          <Link to="/revision" search={{ number: numberOf(data.before.revision) }}>
            {numberOf(data.before.revision)}
          </Link>
          , <When at={data.before.committed_at} />
        </p>
      )}
    </Card>
  );
}

function Changed({ finding, subject, since }: { finding: Finding; subject: string; since: string }) {
  const { change, actions, actions_except, resources, condition, condition_before, until } = finding;
  // What is given to the subject itself says more than what others have in common.
  const told = tellingCauses(finding);
  const cause = told.find(({ address }) => address.includes(`//subject/${subject}`)) ?? told[0];
  return (
    <>
      <p>
        <Badge tone={TONES[change]}>{words.effects[change]}</Badge>{' '}
        <strong>{actionsText(actions, actions_except)}</strong>{' '}
        <Breakable text={resources.flatMap(resourceLines).join(', ')} />
      </p>
      {condition !== null && (
        <p className={styles.limits}>
          {stays(finding) && <strong>{texts.stillOnly} </strong>}
          <Condition text={condition} />
        </p>
      )}
      {condition_before !== undefined && (
        <p className={styles.minor}>
          {words.was} <Condition text={condition_before} />
        </p>
      )}
      {until !== null && (
        <p className={styles.minor}>
          {words.until} <When at={until} />
        </p>
      )}
      {cause !== undefined && <Cause of={cause} since={since} />}
    </>
  );
}

type CauseRecord = Finding['causes'][number][number];

/** The changed record that a finding comes from: who changed it when, or when the clock did. */
function Cause({ of: { address, change }, since }: { of: CauseRecord; since: string }) {
  const { data } = useQuery({
    queryKey: ['cause', address, since],
    queryFn: ({ signal }) => readCause(address, since, signal),
  });
  return (
    <p className={styles.minor}>
      {change === 'removed' ? address : <RecordLink address={address}>{address}</RecordLink>}
      {data !== undefined && ': '}
      {data?.commit !== undefined && (
        <>
          {words.causes[change] ?? change} {words.by} <Actor by={data.commit.credential} />,{' '}
          <When at={data.commit.at} /> <GitCommit of={data.commit} />
        </>
      )}
      {data?.clock !== undefined && (
        <>
          {words[data.clock.what]} <When at={data.clock.at} />
        </>
      )}
    </p>
  );
}

/** The last commit that changed the record since then, or else what the clock did to it. */
async function readCause(address: string, since: string, signal: AbortSignal) {
  const { items } = await client.commits({ record: address, limit: 1 }, signal);
  const [commit] = items;
  const now = new Date().toISOString();
  const isBetween = (at: string | undefined): at is string =>
    at !== undefined && Date.parse(at) > Date.parse(since) && Date.parse(at) <= Date.parse(now);
  if (LINKS.has(kindOf(address))) {
    const link = await found(client.records(kindOf(address) as 'role_assignment').get(pathOf(address), { signal }));
    if (isBetween(link?.expires_at)) return { clock: { what: 'endedAt' as const, at: link.expires_at } };
    if (isBetween(link?.starts_at)) return { clock: { what: 'begunAt' as const, at: link.starts_at } };
  }
  if (kindOf(address) === 'subject') {
    const subject = await found(client.records('subject').get(pathOf(address), { signal }));
    if (isBetween(subject?.suspended_until))
      return { clock: { what: 'reinstatedAt' as const, at: subject.suspended_until } };
  }
  return commit !== undefined && commit.at >= since ? { commit } : {};
}

const LINKS: ReadonlySet<string> = new Set(['group_membership', 'role_assignment', 'policy_assignment']);

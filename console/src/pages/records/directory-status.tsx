import type { DirectoryStatus } from '@authz-service/sdk/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { useMay, useSession } from '../../api/session.js';
import { directories as words } from '../../text/directories.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { DataTable } from '../../ui/data-table.js';
import { Dialog } from '../../ui/dialog.js';
import { FindingsTable, type ShownDelta } from '../../ui/findings-table.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import { When } from '../../ui/when.js';
import styles from './record-page.module.css';

type Held = DirectoryStatus['held'][number];
type Decision = keyof typeof words.decide;

const TONES = { held: 'warn', released: 'good', discarded: 'plain' } as const;

/** The contents of a directory, when it last sent something, and what its brake holds, with what that would do to access. */
export function DirectoryStatusCard({ name }: { name: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['directory', name, 'status'],
    queryFn: ({ signal }) => client.directories.status(name, { signal }),
  });
  return (
    <>
      <Card title={words.title}>
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {data === undefined && !error && <p role="status">{text.common.loading}</p>}
        {data !== undefined && <Contents of={data} />}
      </Card>
      {data !== undefined && data.held_count > 0 && <HeldAccess name={name} held={data.held} />}
    </>
  );
}

function Contents({ of }: { of: DirectoryStatus }) {
  const { name, subjects, groups, memberships, last_sync, taken_away: lost, held_count, held } = of;
  return (
    <>
      <p>{words.counts(subjects, groups, memberships)}</p>
      <dl className={styles.set}>
        <dt>{words.lastSync}</dt>
        <dd>{last_sync === undefined ? words.never : <When at={last_sync} />}</dd>
        <dt>{words.takenAway}</dt>
        <dd>{words.lost(lost.people, lost.memberships, lost.groups, lost.renamed, lost.suspended)}</dd>
        <dt>{words.held}</dt>
        <dd>{held_count === 0 ? words.heldNone : words.heldCount(held_count)}</dd>
      </dl>
      {held.length > 0 && (
        <DataTable<Held>
          label={words.held}
          rows={held}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.change,
              cell: ({ detail, braked }) => (
                <>
                  <TimedText text={detail} /> <Badge>{braked}</Badge>
                </>
              ),
            },
            {
              title: words.records,
              cell: ({ records }) => (
                <ul>
                  {records.map((address) => (
                    <li key={address}>
                      <RecordLink address={address}>{address}</RecordLink>
                    </li>
                  ))}
                </ul>
              ),
            },
            { title: words.state, cell: ({ state }) => <Badge tone={TONES[state]}>{words.states[state]}</Badge> },
            { title: words.lastAsked, cell: ({ last_at }) => <When at={last_at} />, lesser: true },
          ]}
        />
      )}
      {held_count > 0 && <Decide name={name} />}
    </>
  );
}

/** The effect on access of letting through all that is held: it takes a while to be found. */
function HeldAccess({ name, held }: { name: string; held: readonly Held[] }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['directory', name, 'access', held.map(({ id, state }) => [id, state])],
    queryFn: async ({ signal }) => (await client.directories.status(name, { access: true, signal })).access ?? null,
    refetchOnWindowFocus: false,
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{words.access}</p>;
  if (data === null) return null;
  const access = data as ShownDelta | { unavailable: string };
  return 'unavailable' in access ? (
    <p className={layout.hint}>{access.unavailable}</p>
  ) : (
    <FindingsTable delta={access} />
  );
}

/** The buttons by which what is held is let through or discarded, for whoever may write all records. */
function Decide({ name }: { name: string }) {
  const may = useMay('records:write');
  const { limits } = useSession();
  const [asked, setAsked] = useState<Decision>();
  const decide = useMutation({
    mutationFn: (decision: Decision) => client.directories.decide(name, decision),
    onSuccess: async () => {
      setAsked(undefined);
      await queryClient.invalidateQueries({ queryKey: ['directory', name] });
    },
  });
  if (!may || limits !== undefined) return null;
  return (
    <>
      <div className={styles.decide}>
        <Button onPress={() => setAsked('release')}>{words.release}</Button>
        <Button onPress={() => setAsked('discard')}>{words.discard}</Button>
      </div>
      {asked !== undefined && (
        <Dialog title={words.decide[asked].title} onClose={() => setAsked(undefined)}>
          <p>{words.decide[asked].hint}</p>
          {decide.error && <ProblemNote title={text.errors.notDone} error={decide.error} />}
          <div className={layout.buttons}>
            <Button onPress={() => setAsked(undefined)}>{text.common.cancel}</Button>
            <Button kind="primary" isDisabled={decide.isPending} onPress={() => decide.mutate(asked)}>
              {words.decide[asked].done}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

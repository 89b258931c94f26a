import { useMutation, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { SESSION_KEY, useMay, useSession } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import styles from './settings-page.module.css';

/** One's own sessions, or those of the tenant, to end. */
export function Sessions() {
  const own = useSession();
  const all = useMay('credentials');
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => client.sessions({ signal }) });
  const end = useMutation({
    mutationFn: (id: string) => client.endSession(id),
    onSettled: async (_, __, id) => {
      await queryClient.invalidateQueries({ queryKey: ['sessions'] });
      if (id === own.id) await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
  return (
    <>
      <div className={styles.head}>
        <p>{all ? text.settings.sessionsHint : text.settings.ownSessionsHint}</p>
      </div>
      {sessions.error && <ProblemNote error={sessions.error} retry={() => sessions.refetch()} />}
      {end.error && <ProblemNote error={end.error} />}
      {sessions.data === undefined && !sessions.error && <p role="status">{text.common.loading}</p>}
      {sessions.data !== undefined && (
        <DataTable
          label={text.settings.area.sessions}
          rows={sessions.data}
          keyOf={({ id }) => id}
          columns={[
            {
              title: text.settings.person,
              cell: ({ id, person }) => (
                <>
                  {person.name} {id === own.id && <Badge tone="good">{text.settings.thisOne}</Badge>}
                </>
              ),
            },
            { title: text.settings.signIn, cell: ({ sign_in }) => text.overview.by[sign_in], lesser: true },
            { title: text.settings.began, cell: ({ created_at }) => <When at={created_at} />, lesser: true },
            { title: text.settings.idle, cell: ({ idle_at }) => <When at={idle_at} />, lesser: true },
            { title: text.settings.latest, cell: ({ expires_at }) => <When at={expires_at} /> },
            {
              title: text.settings.end,
              cell: ({ id, person }) => (
                <Button
                  small
                  isDisabled={end.isPending}
                  aria-label={`${text.settings.end}: ${person.name}`}
                  onPress={() => end.mutate(id)}
                >
                  {text.settings.end}
                </Button>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

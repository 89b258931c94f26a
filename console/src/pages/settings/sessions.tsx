import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { SESSION_KEY, useMay, useSession } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { Dialog } from '../../ui/dialog.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { timeText, When } from '../../ui/when.js';
import styles from './settings-page.module.css';

type Session = Awaited<ReturnType<typeof client.sessions>>[number];

/** One's own sessions, or those of the tenant, to end. */
export function Sessions() {
  const own = useSession();
  const all = useMay('credentials');
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => client.sessions({ signal }) });
  const [ending, setEnding] = useState<Session>();
  const [ended, setEnded] = useState<Session>();
  return (
    <>
      <div className={styles.head}>
        <p>{all ? text.settings.sessionsHint : text.settings.ownSessionsHint}</p>
        <p role="status">{ended !== undefined && text.settings.ended(ended.person.name, timeText(ended.created_at))}</p>
      </div>
      {sessions.error && <ProblemNote error={sessions.error} retry={() => sessions.refetch()} />}
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
              cell: (session) => (
                <Button
                  small
                  aria-label={`${text.settings.end}: ${session.person.name}`}
                  onPress={() => setEnding(session)}
                >
                  {text.settings.end}
                </Button>
              ),
            },
          ]}
        />
      )}
      {ending !== undefined && (
        <Ending session={ending} own={ending.id === own.id} onClose={() => setEnding(undefined)} onEnded={setEnded} />
      )}
    </>
  );
}

interface EndingProps {
  session: Session;
  /** It is the one of this page. */
  own: boolean;
  onClose: () => void;
  onEnded: (session: Session) => void;
}

function Ending({ session, own, onClose, onEnded }: EndingProps) {
  const end = useMutation({
    mutationFn: () => client.endSession(session.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sessions'] });
      if (own) await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      onEnded(session);
      onClose();
    },
  });
  return (
    <Dialog title={own ? text.settings.endOwnTitle : text.settings.endTitle(session.person.name)} onClose={onClose}>
      <p>{text.settings.endWarning(timeText(session.created_at))}</p>
      {end.error && <ProblemNote error={end.error} />}
      <div className={layout.buttons}>
        <Button onPress={onClose}>{text.common.cancel}</Button>
        <Button kind="danger" isDisabled={end.isPending} onPress={() => end.mutate()}>
          {text.settings.endNow}
        </Button>
      </div>
    </Dialog>
  );
}

import type { WireRecord } from '@authz-service/sdk/wire';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { useMay } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { Dialog } from '../../ui/dialog.js';
import { Empty } from '../../ui/empty.js';
import layout from '../../ui/layout.module.css';
import { Owner } from '../../ui/owner.js';
import { Paging } from '../../ui/paging.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { When } from '../../ui/when.js';
import { NewCredential } from './new-credential.js';
import styles from './settings-page.module.css';

export type CredentialKind = 'api_key' | 'oauth_client';
type Credential = WireRecord<CredentialKind>;

const PAGE_SIZE = 50;

/** API keys or OAuth clients: listed, made and removed. */
export function Credentials({ kind }: { kind: CredentialKind }) {
  const may = useMay('credentials');
  const [making, setMaking] = useState(false);
  const [removing, setRemoving] = useState<Credential>();
  const [cursors, setCursors] = useState<string[]>([]);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['records', kind, 'all', cursors.at(-1)],
    queryFn: ({ signal }) => client.records(kind).page({}, { limit: PAGE_SIZE, cursor: cursors.at(-1), signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className={styles.head}>
        <p>{kind === 'api_key' ? text.settings.keysHint : text.settings.clientsHint}</p>
        {may ? (
          <Button kind="primary" onPress={() => setMaking(true)}>
            {text.settings.make[kind]}
          </Button>
        ) : (
          <p>{text.settings.notAllowed}</p>
        )}
      </div>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data?.items.length === 0 && <Empty title={text.settings.noneYet} />}
      {data !== undefined && data.items.length > 0 && (
        <DataTable<Credential>
          label={kind === 'api_key' ? text.settings.area.keys : text.settings.area.clients}
          rows={data.items}
          keyOf={({ id }) => id}
          stale={isPlaceholderData}
          columns={[
            {
              title: text.settings.name,
              cell: (one) => (
                <>
                  <RecordLink address={one.address}>{one.name}</RecordLink>
                  {'person' in one && one.person && (
                    <p className={layout.hint}>{text.settings.ofPerson(one.person.subject, one.person.issuer)}</p>
                  )}
                </>
              ),
            },
            { title: text.settings.scopes, cell: (credential) => <Scopes credential={credential} /> },
            { title: text.settings.limits, cell: limitsOf, lesser: true },
            {
              title: text.settings.expires,
              cell: (one) =>
                'expires_at' in one && one.expires_at ? <When at={one.expires_at} /> : text.settings.never,
              lesser: true,
            },
            {
              title: text.settings.lastUsed,
              cell: ({ last_used_at }) => (last_used_at ? <When at={last_used_at} /> : text.settings.unused),
              lesser: true,
            },
            { title: text.common.owner, cell: ({ managed_by }) => <Owner name={managed_by} />, lesser: true },
            ...(may
              ? [
                  {
                    title: text.settings.remove,
                    cell: (one: Credential) => (
                      <Button
                        small
                        onPress={() => setRemoving(one)}
                        aria-label={`${text.settings.remove}: ${one.name}`}
                      >
                        {text.settings.remove}
                      </Button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <Paging
        number={cursors.length + 1}
        more={data?.next_cursor !== undefined && !isPlaceholderData}
        onPrevious={() => setCursors(cursors.slice(0, -1))}
        onNext={() => setCursors([...cursors, data?.next_cursor ?? ''])}
      />
      {making && <NewCredential kind={kind} onClose={() => setMaking(false)} />}
      {removing && <Removal credential={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function Scopes({ credential: { scopes, operator } }: { credential: Credential }) {
  return (
    <span className={styles.badges}>
      {scopes.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
      {operator === true && <Badge tone="warn">operator</Badge>}
    </span>
  );
}

function limitsOf({ limits }: Credential): string {
  if (limits === undefined) return text.settings.unlimited;
  return text.settings.limited(limits.stacks ?? [], limits.applications ?? []);
}

function Removal({
  credential: { kind, id, name, revision },
  onClose,
}: {
  credential: Credential;
  onClose: () => void;
}) {
  const remove = useMutation({
    mutationFn: () => client.records(kind).delete(id, { ifMatch: revision }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['records', kind] });
      onClose();
    },
  });
  return (
    <Dialog title={text.settings.removeTitle(name)} onClose={onClose}>
      <p>{text.settings.removeWarning}</p>
      {remove.error && <ProblemNote error={remove.error} />}
      <div className={layout.buttons}>
        <Button onPress={onClose}>{text.common.cancel}</Button>
        <Button kind="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
          {text.settings.remove}
        </Button>
      </div>
    </Dialog>
  );
}

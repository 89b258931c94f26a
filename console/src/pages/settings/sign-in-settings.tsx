import type { SignInSettings as Settings } from '@authz-service/sdk/console-client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Card } from '../../ui/card.js';
import { DataTable } from '../../ui/data-table.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import styles from './settings-page.module.css';

/** How people sign in: what the service was started with, but its secrets. */
export function SignInSettings() {
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in-settings'],
    queryFn: ({ signal }) => client.signInSettings({ signal }),
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.common.loading}</p>;
  return (
    <>
      <div className={styles.head}>
        <p>{text.settings.signInHint}</p>
      </div>
      <div className={styles.cards}>
        <Card title={text.settings.links.title}>
          <p>{text.settings.links[data.links]}</p>
        </Card>
        <Card title={text.settings.oidc.title}>
          {data.provider === undefined ? <p>{text.settings.oidc.none}</p> : <Provider provider={data.provider} />}
        </Card>
      </div>
    </>
  );
}

function Provider({ provider }: { provider: NonNullable<Settings['provider']> }) {
  const { oidc } = text.settings;
  const groups = Object.entries(provider.groups);
  const facts = [
    [oidc.issuer, provider.issuer],
    [oidc.clientId, provider.client_id],
    [oidc.callback, provider.callback],
    [oidc.scope, provider.scope],
    [oidc.person, oidc.subject(provider.subject_type, provider.subject)],
  ];
  return (
    <>
      <dl className={styles.facts}>
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      <h3>{oidc.groups(provider.groups_claim)}</h3>
      {groups.length === 0 ? (
        <p>{oidc.noGroups}</p>
      ) : (
        <DataTable
          label={oidc.groups(provider.groups_claim)}
          rows={groups}
          keyOf={([name]) => name}
          columns={[
            { title: oidc.theirs, cell: ([name]) => name },
            {
              title: oidc.here,
              cell: ([, here]) => (
                <span className={styles.badges}>
                  {here.map((path) => (
                    <RecordLink key={path} address={`group/${path}`} />
                  ))}
                </span>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

import { ServiceError } from '@authz-service/sdk/service-error';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../../api/client.js';
import type { Draft } from '../../api/drafted-changes.js';
import { queryClient } from '../../api/query-client.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { CodeBlock } from '../../ui/code-block.js';
import { FindingsTable, type ShownDelta } from '../../ui/findings-table.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { Origin, useOrigins } from '../../ui/record-origin.js';
import { TimedText } from '../../ui/timed-text.js';
import styles from './change-page.module.css';

function usePlan({ base, stack, changes }: Draft, enabled: boolean) {
  return useQuery({
    queryKey: ['plan', base, stack, changes],
    queryFn: ({ signal }) => client.planDraft({ base_revision: base, stack, changes }, { signal }),
    enabled,
  });
}

/** The changed records to copy by hand, as soon as the plan of the draft is known. */
export function TextsOfDraft({ draft, planned }: { draft: Draft; planned: boolean }) {
  const { data } = usePlan(draft, planned);
  if (data?.texts === undefined) return null;
  const { yaml, hcl } = data.texts;
  return (
    <>
      <p className={layout.hint}>{text.change.copyHint}</p>
      <details>
        <summary>{text.change.asYaml}</summary>
        <CodeBlock label={text.change.asYaml} code={yaml} />
      </details>
      {hcl !== undefined && (
        <details>
          <summary>{text.change.asHcl}</summary>
          <CodeBlock label={text.change.asHcl} code={hcl} />
        </details>
      )}
    </>
  );
}

/** The effect of the draft on records, access and access rules; computed by the service, which changes nothing. */
export function PlanOfDraft({ draft }: { draft: Draft }) {
  const { data, error, refetch } = usePlan(draft, true);
  // Refused because others have committed: the page shows how to go on, once it knows the newest revision.
  useEffect(() => {
    if (error instanceof ServiceError && error.code === 'stale_base')
      void queryClient.invalidateQueries({ queryKey: ['audit', 'newest'] });
  }, [error]);
  if (error) return <ProblemNote error={error} title={text.change.refused} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.change.planning}</p>;
  return (
    <>
      <Card title={text.change.plan}>
        <p>{data.changes.length === 0 ? text.change.nothing : text.history.counts(data.counts)}</p>
        <Origins addresses={data.changes.map(({ address, from }) => String(from ?? address))} />
        {data.violations.map(({ rule, mode, detail, witness }) => (
          <div key={`${rule} ${JSON.stringify(witness)}`} className={styles.broken}>
            <Badge tone={mode === 'enforce' ? 'bad' : 'warn'}>{mode}</Badge> <RecordLink address={rule} />
            <p>
              <TimedText text={detail} />
            </p>
          </div>
        ))}
      </Card>
      <FindingsTable delta={data.access as unknown as ShownDelta} all={data.finding_count} />
    </>
  );
}

/** The places of the records that are to be changed in Git. */
function Origins({ addresses }: { addresses: string[] }) {
  const origins = useOrigins(addresses);
  if (origins === undefined || origins.size === 0) return null;
  return (
    <>
      <h3>{text.origin.of}</h3>
      <ul className={styles.origins}>
        {[...origins.values()].map((origin) => (
          <li key={origin.address}>
            <RecordLink address={origin.address}>{origin.address}</RecordLink>
            <Origin of={origin} />
          </li>
        ))}
      </ul>
    </>
  );
}

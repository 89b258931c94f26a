import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import type { Draft } from '../../api/draft.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { DataTable } from '../../ui/data-table.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import styles from './change-page.module.css';

/** The part of a finding that is shown; `docs/impact.md` has all of it. */
interface Finding {
  id: string;
  change: 'gained' | 'lost' | 'widened' | 'narrowed' | 'changed' | 'unknown';
  subjects: {
    principals: { principal: string; subjects: number }[];
    recorded: number;
    unrecorded: string[];
    named_role?: string;
  };
  actions: string[];
  resources: { type: string; which: string; below?: string; names?: string[]; recorded: number }[];
  condition: string | null;
  causes: { address: string; change: string }[][];
}

const TONES = {
  gained: 'good',
  widened: 'good',
  lost: 'bad',
  narrowed: 'bad',
  changed: 'warn',
  unknown: 'warn',
} as const;

/** What the draft would do to records, to access and to access rules; computed by the service, which changes nothing. */
export function PlanOfDraft({ draft: { base, stack, changes } }: { draft: Draft }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['plan', base, stack, changes],
    queryFn: ({ signal }) => client.planDraft({ base_revision: base, stack, changes }, { signal }),
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.change.planning}</p>;
  const findings = data.access.findings as unknown as Finding[];
  return (
    <div className={styles.side}>
      <Card title={text.change.plan}>
        <p>{text.history.counts(data.counts)}</p>
        {data.violations.map(({ rule, mode, detail, witness }) => (
          <div key={`${rule} ${JSON.stringify(witness)}`} className={styles.broken}>
            <Badge tone={mode === 'enforce' ? 'bad' : 'warn'}>{mode}</Badge> <RecordLink address={rule} />
            <p>{detail}</p>
          </div>
        ))}
      </Card>
      <section aria-labelledby="access">
        <h2 id="access" className={styles.heading}>
          {text.change.access}
        </h2>
        {findings.length === 0 ? (
          <p className={layout.hint}>{text.change.noAccess}</p>
        ) : (
          <DataTable<Finding>
            label={text.change.access}
            rows={findings}
            keyOf={({ id }) => id}
            columns={[
              { title: text.change.who, cell: who },
              {
                title: text.change.effect,
                cell: ({ change }) => <Badge tone={TONES[change]}>{text.change.effects[change]}</Badge>,
              },
              { title: text.ask.action, cell: ({ actions }) => actions.join(', ') },
              { title: text.change.onWhat, cell: onWhat },
              { title: text.change.condition, cell: ({ condition }) => condition !== null && <code>{condition}</code> },
              { title: text.change.because, cell: because, lesser: true },
            ]}
          />
        )}
      </section>
    </div>
  );
}

function who({ subjects: { principals, unrecorded, named_role } }: Finding): string {
  const named = principals.map(({ principal, subjects }) => (subjects > 1 ? `${principal} (${subjects})` : principal));
  return [
    ...named,
    ...unrecorded.map(text.change.unrecorded),
    ...(named_role ? [text.change.namedRole(named_role)] : []),
  ].join(', ');
}

function onWhat({ resources }: Finding): string {
  return resources
    .map(({ type, which, below, names }) => {
      const what = names !== undefined ? names.map((name) => `${type}/${name}`).join(', ') : `${type} (${which})`;
      return below === undefined ? what : text.change.below(what, below);
    })
    .join('; ');
}

function because({ causes }: Finding): string {
  return causes.map((set) => set.map(({ address, change }) => `${address} ${change}`).join(' + ')).join('; ');
}

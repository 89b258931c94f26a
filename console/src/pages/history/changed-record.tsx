import type { AuditEntry } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundRecord } from '../../api/answers.js';
import { clientAt } from '../../api/client.js';
import { found } from '../../api/found.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Condition } from '../../ui/condition.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { kindOf, pathOf, RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import styles from './changed-record.module.css';

type Change = AuditEntry['changes'][number];
type Fields = Readonly<Record<string, unknown>>;

const TONES = { create: 'good', update: 'warn', move: 'warn', delete: 'bad' } as const;

interface Props {
  change: Change;
  /** Two revisions, by their numbers. */
  before: number;
  after: number;
}

/** A record that differs between two revisions; opened, it shows each field before and after. */
export function ChangedRecord({ change, before, after }: Props) {
  const [open, setOpen] = useState(false);
  const { op, address, from } = change;
  return (
    <li className={styles.change}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Badge tone={TONES[op]}>{text.history.op[op]}</Badge> {from !== undefined && `${from} → `}
          {address}
        </summary>
        {open && <Differences change={change} before={before} after={after} />}
        {op !== 'delete' && <RecordLink address={address}>{text.history.asItIsNow}</RecordLink>}
      </details>
    </li>
  );
}

function Differences({ change: { op, address, from }, before: earlier, after: later }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['changed', address, earlier, later],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all([
        op === 'create' ? undefined : recordAt(from ?? address, earlier, signal),
        op === 'delete' ? undefined : recordAt(address, later, signal),
      ]);
      return { before, after };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.common.loading}</p>;
  const before: Fields = data.before ?? {};
  const after: Fields = data.after ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !LEFT_OUT.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return <p className={styles.none}>{text.history.onlyOwner}</p>;
  return (
    <dl className={styles.fields}>
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {before[name] !== undefined && <del>{shown(name, before[name])}</del>}
            {after[name] !== undefined && <ins>{shown(name, after[name])}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shown(name: string, value: unknown) {
  return name === 'condition' ? <Condition text={String(value)} /> : <TimedText text={JSON.stringify(value)} />;
}

/** Members that every change changes, or no change does. */
const LEFT_OUT: ReadonlySet<string> = new Set(['updated_at', 'created_at', 'revision', 'id', 'kind', 'address']);

/** Credentials are in no history: what is not found is not shown. */
async function recordAt(address: string, number: number, signal: AbortSignal): Promise<FoundRecord | undefined> {
  const record = await found(clientAt(String(number)).records(kindOf(address)).get(pathOf(address), { signal }));
  return record as unknown as FoundRecord | undefined;
}

import type { FoundRecord } from '../../api/answers.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Breakable } from '../../ui/breakable.js';
import { Condition } from '../../ui/condition.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import { When } from '../../ui/when.js';
import styles from './field-value.module.css';
import { mentionedBy } from './mentioned-by.js';

interface Props {
  record: FoundRecord;
  field: string;
  /** Long values are cut. */
  brief?: boolean;
}

const ITEMS_MAX = 4;
const CHARACTERS_MAX = 90;

/** One field of a record of any kind: links for what it refers to, and plain words for the rest. */
export function FieldValue({ record, field, brief = false }: Props) {
  const value = record[field];
  if (value === undefined) return null;
  if (field === 'effect') return <Badge tone={value === 'ALLOW' ? 'good' : 'bad'}>{String(value)}</Badge>;
  if (field === 'priority' && brief)
    return value === 0 ? null : <p className={styles.minor}>{text.records.priority(Number(value))}</p>;
  if (field.endsWith('_at') && typeof value === 'string') return <When at={value} />;
  if (field === 'condition') return <Condition text={String(value)} brief={brief} />;
  if (!Array.isArray(value)) return <Item record={record} field={field} value={value} brief={brief} />;
  const shown = brief ? value.slice(0, ITEMS_MAX) : value;
  return (
    <ul className={styles.items}>
      {shown.map((item) => (
        <li key={JSON.stringify(item)}>
          <Item record={record} field={field} value={item} brief={brief} />
        </li>
      ))}
      {shown.length < value.length && (
        <li className={styles.more}>{text.records.andMore(value.length - shown.length)}</li>
      )}
    </ul>
  );
}

function Item({ record, field, value, brief }: Required<Props> & { value: unknown }) {
  if (typeof value === 'boolean') return value ? text.common.yes : text.common.no;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    const address = mentionedBy(record, field, value);
    return address === undefined ? (
      <TimedText text={cut(value, brief)} />
    ) : (
      <RecordLink address={address}>{value}</RecordLink>
    );
  }
  const covered = coveredBy(value);
  if (covered === undefined) return <Code text={cut(compact(value), brief)} timed />;
  return (
    <>
      <RecordLink address={`resource/${covered.resource}`}>{covered.resource}</RecordLink>{' '}
      {text.records.withActions(covered.actions, covered.below === true)}
    </>
  );
}

function Code({ text: code, timed = false }: { text: string; timed?: boolean }) {
  return <code className={styles.code}>{timed ? <TimedText text={code} /> : <Breakable text={code} />}</code>;
}

/** An entry of a policy's `resources`. */
function coveredBy(value: unknown) {
  if (typeof value !== 'object' || value === null || !('resource' in value) || !('actions' in value)) return undefined;
  return value as { resource: string; actions: string[]; below?: boolean };
}

/** `amount: 5, owner: "alice"`, without the ids that the service adds to paths. */
function compact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(compact).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([name]) => !(name.endsWith('_id') && name.slice(0, -3) in value));
  return entries.map(([name, held]) => `${name}: ${compact(held)}`).join(', ');
}

function cut(whole: string, brief: boolean): string {
  return brief && whole.length > CHARACTERS_MAX ? `${whole.slice(0, CHARACTERS_MAX)}…` : whole;
}

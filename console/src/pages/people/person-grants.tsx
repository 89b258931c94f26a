import type { Change } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { CONSOLE_STACK, saveDraft, useDraft } from '../../api/draft.js';
import { addressOf, type Draft, forOwner, titleOfChange, withChange } from '../../api/drafted-changes.js';
import { text } from '../../text/english.js';
import { people as words } from '../../text/people.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { declaredFields } from '../../ui/declared-fields.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { When } from '../../ui/when.js';
import { GiveForm } from './give-form.js';
import styles from './person-page.module.css';

const LISTED_MAX = 200;
const DAY_MS = 86_400_000;

interface Props {
  subject: string;
  /** The newest one, which changes are made for; undefined until it is known. */
  revision: string | undefined;
}

/** The groups, roles and policies that are given to a subject directly, with changes to them as a draft. */
export function PersonGrants({ subject, revision }: Props) {
  const address = `subject/${subject}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['links', address, 'grants'],
    queryFn: ({ signal }) => client.links({ address, limit: LISTED_MAX }, signal),
  });
  const draft = useDraft();
  const links = data?.items.filter((record) => givenBy(record) !== undefined) ?? [];
  const other = links.find((record) => isOfOther(draft, record));
  const drafted = draft.changes.filter((change) => isNewOf(change, subject));
  const take = (change: Change, owner: string) => {
    if (revision !== undefined) saveDraft(withChange(forOwner(draft, owner, CONSOLE_STACK), change, revision));
  };
  return (
    <Card title={words.given}>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && links.length === 0 && <p className={layout.hint}>{words.givenNone}</p>}
      {links.length > 0 && (
        <ul className={styles.links} aria-label={words.given}>
          {links.map((record) => (
            <li key={record.address} className={styles.link}>
              <Given record={record} />
              {revision !== undefined && <LinkActions record={record} draft={draft} take={take} />}
            </li>
          ))}
        </ul>
      )}
      {other !== undefined && (
        <p className={layout.hint}>{text.ask.otherDraft(draft.stack, stackOf(other.managed_by))}</p>
      )}
      {data?.next_cursor !== undefined && <p className={layout.hint}>{text.records.moreMentions} …</p>}
      {drafted.map((change) => (
        <p key={JSON.stringify(change)}>
          <Badge tone="good">{words.inDraft}</Badge> {titleOfChange(change)}
        </p>
      ))}
      {revision !== undefined && <GiveForm subject={subject} draft={draft} onGive={take} />}
      {draft.changes.length > 0 && <Link to="/change">{words.seeDraft}</Link>}
    </Card>
  );
}

function Given({ record }: { record: FoundRecord }) {
  const given = givenBy(record) ?? '';
  const { resource, starts_at, expires_at } = record;
  return (
    <div>
      <RecordLink address={given}>{given}</RecordLink>
      {typeof resource === 'string' && ` ${words.on(resource)}`}
      <p className={styles.minor}>
        {typeof starts_at === 'string' && Date.parse(starts_at) > Date.now() && (
          <>
            {words.from} <When at={starts_at} />{' '}
          </>
        )}
        {typeof expires_at === 'string' ? (
          <>
            {Date.parse(expires_at) <= Date.now() ? words.endedAt : words.until} <When at={expires_at} />
          </>
        ) : (
          words.endless
        )}
      </p>
    </div>
  );
}

interface ActionProps {
  record: FoundRecord;
  draft: Draft;
  take: (change: Change, owner: string) => void;
}

function LinkActions({ record, draft, take }: ActionProps) {
  const { address, managed_by } = record;
  const drafted = draft.changes.find((change) => addressOf(change) === address);
  if (drafted !== undefined)
    return (
      <Badge tone="warn">
        {words.inDraft}: {text.change.op[drafted.op]}
      </Badge>
    );
  const isOthers = isOfOther(draft, record);
  const given = givenBy(record) ?? address;
  return (
    <div className={styles.actions}>
      <Button
        small
        isDisabled={isOthers}
        aria-label={words.actionOf(words.sevenDays, given)}
        onPress={() =>
          take({ op: 'update', address, fields: { ...declaredFields(record), expires_at: inSevenDays() } }, managed_by)
        }
      >
        {words.sevenDays}
      </Button>
      <Button
        small
        kind="danger"
        isDisabled={isOthers}
        aria-label={words.actionOf(words.remove, given)}
        onPress={() => take({ op: 'delete', address }, managed_by)}
      >
        {words.remove}
      </Button>
    </div>
  );
}

/** Whether the draft is for another stack than that of the record. */
function isOfOther(draft: Draft, { managed_by }: FoundRecord): boolean {
  return draft.changes.length > 0 && draft.stack !== stackOf(managed_by);
}

/** Returns the stack to commit for: the console changes what is nobody's. */
function stackOf(owner: string): string {
  return owner === 'api' ? CONSOLE_STACK : owner;
}

/** RFC 3339, without fractions of a second. */
export function inSevenDays(): string {
  return `${new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 19)}Z`;
}

/** The address of the group, role or policy that a link gives; undefined of what is no link. */
function givenBy({ kind, group, role, policy }: FoundRecord): string | undefined {
  if (kind === 'group_membership') return `group/${String(group)}`;
  if (kind === 'role_assignment') return `role/${String(role)}`;
  return kind === 'policy_assignment' ? `policy/${String(policy)}` : undefined;
}

function isNewOf(change: Change, subject: string): boolean {
  return change.op === 'create' && change.fields.entity_type === 'subject' && change.fields.entity === subject;
}

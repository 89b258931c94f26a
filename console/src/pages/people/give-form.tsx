import type { Change } from '@authz-service/sdk/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../../api/client.js';
import { CONSOLE_STACK } from '../../api/draft.js';
import type { Draft } from '../../api/drafted-changes.js';
import { text } from '../../text/english.js';
import { people as words } from '../../text/people.js';
import { Button } from '../../ui/button.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordField } from '../../ui/record-field.js';
import { inSevenDays } from './person-grants.js';
import styles from './person-page.module.css';

const LENGTHS = ['endless', 'seven'] as const;
type What = 'group' | 'role';

/** With whom records are shared that the console may give out. */
const CONSOLE_APPLICATION = 'service-console';

interface Props {
  subject: string;
  draft: Draft;
  /** `owner` is the stack whose change it is. */
  onGive: (change: Change, owner: string) => void;
}

/** Puts a subject into a group or gives it a role, for ever or for seven days, as a change of the draft. */
export function GiveForm({ subject, draft, onGive }: Props) {
  const [what, setWhat] = useState<What>();
  if (what !== undefined)
    return (
      <Filled
        what={what}
        draft={draft}
        onCancel={() => setWhat(undefined)}
        onGive={(path, period, owner) => {
          onGive(given(what, subject, path, period), owner);
          setWhat(undefined);
        }}
      />
    );
  return (
    <div className={styles.actions}>
      <Button onPress={() => setWhat('group')}>{words.what.group}</Button>
      <Button onPress={() => setWhat('role')}>{words.what.role}</Button>
    </div>
  );
}

interface FilledProps {
  what: What;
  draft: Draft;
  onCancel: () => void;
  onGive: (path: string, period: { expires_at?: string }, owner: string) => void;
}

function Filled({ what, draft, onCancel, onGive }: FilledProps) {
  const group = useId();
  const [path, setPath] = useState('');
  const [length, setLength] = useState<(typeof LENGTHS)[number]>('endless');
  const [missing, setMissing] = useState(false);
  const give = useMutation({
    mutationFn: (wanted: string) => ownerOf(what, wanted),
    onSuccess: (owner, wanted) => {
      if (isFor(draft, owner)) onGive(wanted, length === 'seven' ? { expires_at: inSevenDays() } : {}, owner);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(path.trim() === '');
    if (path.trim() !== '') give.mutate(path.trim());
  };
  const other = give.data !== undefined && !isFor(draft, give.data) && text.ask.otherDraft(draft.stack, give.data);
  return (
    <form className={styles.form} aria-label={words.what[what]} onSubmit={submit} noValidate>
      <RecordField
        label={words.which[what]}
        hint={words.whichHint[what]}
        kind={what}
        value={path}
        onChange={setPath}
        fault={missing ? words.needed : undefined}
      />
      <fieldset className={styles.choices}>
        <legend>{words.howLong}</legend>
        {LENGTHS.map((one) => (
          <label key={one}>
            <input type="radio" name={group} checked={length === one} onChange={() => setLength(one)} />{' '}
            {words.lengths[one]}
          </label>
        ))}
      </fieldset>
      {give.error && <ProblemNote title={text.errors.notDone} error={give.error} />}
      {other && <p role="alert">{other}</p>}
      <div className={styles.actions}>
        <Button kind="primary" type="submit" isDisabled={give.isPending}>
          {words.toDraft}
        </Button>
        <Button onPress={onCancel}>{text.common.cancel}</Button>
      </div>
    </form>
  );
}

/**
 * The stack whose change it is to give a group or role: the console's where nobody owns that, or its owner shares it with the
 * console, or else the owner's.
 */
async function ownerOf(what: What, path: string): Promise<string> {
  const { managed_by, shared_with = [] } = await client.records(what).get(path);
  return managed_by === 'api' || shared_with.includes(CONSOLE_APPLICATION) ? CONSOLE_STACK : managed_by;
}

function isFor(draft: Draft, stack: string): boolean {
  return draft.changes.length === 0 || draft.stack === stack;
}

function given(what: What, subject: string, path: string, period: { expires_at?: string }): Change {
  const to = { entity_type: 'subject', entity: subject, ...period };
  return what === 'group'
    ? { op: 'create', kind: 'group_membership', fields: { group: path, ...to } }
    : { op: 'create', kind: 'role_assignment', fields: { role: path, ...to } };
}

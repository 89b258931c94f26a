import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { CONSOLE_STACK, saveDraft, useDraft } from '../../api/draft.js';
import { draftedFields, forOwner, withChange } from '../../api/drafted-changes.js';
import { useMay } from '../../api/session.js';
import { text } from '../../text/english.js';
import { people as words } from '../../text/people.js';
import { Button } from '../../ui/button.js';
import { declaredFields } from '../../ui/declared-fields.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import type { Suspension } from '../../ui/suspended-badge.js';

interface Props {
  subject: string;
  name: string;
  suspended: boolean;
}

/** The button by which a subject is suspended or reinstated; there is none for whoever may not write records. */
export function ChangeSuspension({ subject, name, suspended }: Props) {
  const may = useMay('records:write');
  const [asking, setAsking] = useState(false);
  if (!may) return null;
  return (
    <>
      <Button small onPress={() => setAsking(true)}>
        {suspended ? words.suspension.reinstate : words.suspension.suspend}
      </Button>
      {asking && <Asked subject={subject} name={name} suspended={suspended} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Says what the change does, and takes it into the draft: the console commits it whoever owns the record. */
function Asked({ subject, name, suspended, onClose }: Props & { onClose: () => void }) {
  const draft = useDraft();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const [tried, setTried] = useState(false);
  const isOther = draft.changes.length > 0 && draft.stack !== CONSOLE_STACK;
  const take = useMutation({
    mutationFn: () => readPresent(subject),
    onSuccess: ({ record, revision }) => {
      const { address } = record;
      const others = withoutSuspension(draftedFields(draft, address) ?? declaredFields(record));
      const fields = suspended ? others : { ...others, ...suspensionOf(reason, until) };
      saveDraft(withChange(forOwner(draft, CONSOLE_STACK, CONSOLE_STACK), { op: 'update', address, fields }, revision));
      void navigate({ to: '/change' });
    },
  });
  const isPast = until !== '' && !(Date.parse(until) > Date.now());
  const isUnsaid = reason.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isOther && (suspended || !(isPast || isUnsaid))) take.mutate();
  };
  return (
    <Dialog
      title={suspended ? words.suspension.reinstateTitle(name) : words.suspension.suspendTitle(name)}
      keep
      onClose={onClose}
    >
      <form className={layout.form} onSubmit={submit} noValidate>
        <p>{suspended ? words.suspension.reinstateHint : words.suspension.suspendHint}</p>
        {!suspended && (
          <>
            <TextField
              label={words.suspension.reason}
              maxLength={REASON_MAX}
              value={reason}
              onChange={setReason}
              fault={tried && isUnsaid ? words.suspension.reasonNeeded : undefined}
            />
            <TextField
              type="datetime-local"
              label={words.suspension.end}
              hint={words.suspension.endHint}
              value={until}
              onChange={setUntil}
              fault={tried && isPast ? words.suspension.endPast : undefined}
            />
          </>
        )}
        {isOther && <p role="alert">{text.ask.otherDraft(draft.stack, CONSOLE_STACK)}</p>}
        {take.error && <ProblemNote title={text.errors.notDone} error={take.error} />}
        <div className={layout.buttons}>
          <Button onPress={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" isDisabled={isOther || take.isPending}>
            {words.toDraft}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const REASON_MAX = 1024;

/** The record with a revision that is no later: what others commit meanwhile then shows as a change besides. */
async function readPresent(subject: string) {
  const { items } = await client.commits({ limit: 1 });
  const record = await client.records('subject').get(subject);
  return { record: record as unknown as FoundRecord, revision: items[0]?.revision ?? '' };
}

function withoutSuspension(fields: Record<string, unknown>): Record<string, unknown> {
  const { suspended: _, suspended_until: __, suspension_reason: ___, ...others } = fields;
  return others;
}

function suspensionOf(reason: string, until: string): Suspension {
  const end = until === '' ? { suspended: true } : { suspended_until: new Date(until).toISOString() };
  return { ...end, suspension_reason: reason.trim() };
}

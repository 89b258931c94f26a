import { type FormEvent, useState } from 'react';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';

interface Props {
  name: string;
  onDone: (suspension: { suspended_until: string; suspension_reason: string }) => void;
  onClose: () => void;
}

const { rules: words } = text.settings;

/** Asks until when a rule is suspended, and why. */
export function SuspendRule({ name, onDone, onClose }: Props) {
  const [until, setUntil] = useState('');
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const inFuture = Date.parse(until) > Date.now();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (inFuture && reason.trim() !== '')
      onDone({ suspended_until: new Date(until).toISOString(), suspension_reason: reason.trim() });
  };
  return (
    <Dialog title={words.suspendTitle(name)} keep onClose={onClose}>
      <form className={layout.form} onSubmit={submit} noValidate>
        <p>{words.suspendHint}</p>
        <TextField
          type="datetime-local"
          label={words.until}
          value={until}
          onChange={setUntil}
          fault={tried && !inFuture ? words.untilNeeded : undefined}
        />
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          value={reason}
          onChange={setReason}
          fault={tried && reason.trim() === '' ? words.reasonNeeded : undefined}
        />
        <div className={layout.buttons}>
          <Button onPress={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit">
            {words.toDraft}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

import type { AccessReview, SignOff } from '@authz-service/sdk/console-client';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { useSession } from '../../api/session.js';
import { signOff as text } from '../../text/sign-off.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { Field } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { type Reviewed, scopeOf } from './review-form.js';
import styles from './sign-off.module.css';

export const SIGN_OFFS_KEY = 'sign-offs';

interface Props {
  review: AccessReview;
  reviewed: Reviewed;
  /** The ids of the rows that were marked. */
  toChange: ReadonlySet<string>;
  onDone: () => void;
}

/** Records that the signed-in person has looked at all rows. */
export function SignOffForm({ review, reviewed, toChange, onDone }: Props) {
  const { person } = useSession();
  const group = useId();
  const [chosen, setChosen] = useState<SignOff['decision']>('keep');
  const [note, setNote] = useState('');
  // Rows that need change decide it.
  const decision = toChange.size > 0 ? 'change' : chosen;
  const missing = decision === 'change' && toChange.size === 0 && note.trim() === '';
  const [tried, setTried] = useState(false);
  const sign = useMutation({
    mutationFn: () =>
      client.signOff({
        ...scopeOf(reviewed),
        revision: review.revision,
        as_of: review.as_of,
        decision,
        note: note.trim(),
        rows_to_change: [...toChange],
      }),
    onSuccess: async () => {
      setNote('');
      setTried(false);
      onDone();
      await queryClient.invalidateQueries({ queryKey: [SIGN_OFFS_KEY] });
    },
  });
  const number = review.revision.split('.')[0] ?? review.revision;
  return (
    <Card title={text.title}>
      <p className={layout.hint}>{text.hint(person.name, text.kinds[person.kind])}</p>
      <fieldset className={styles.decision}>
        <legend>{text.decision}</legend>
        {(['keep', 'change'] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name={group}
              checked={decision === one}
              disabled={toChange.size > 0}
              onChange={() => setChosen(one)}
            />{' '}
            {text.decisions[one]}
          </label>
        ))}
        {toChange.size > 0 && <p>{text.marked(toChange.size)}</p>}
      </fieldset>
      <Field label={text.note} fault={tried && missing ? text.noteNeeded : undefined}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            maxLength={2000}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
      </Field>
      <div>
        <Button
          kind="primary"
          isDisabled={sign.isPending}
          onPress={() => {
            setTried(true);
            if (!missing) sign.mutate();
          }}
        >
          {text.sign(number)}
        </Button>
      </div>
      {sign.error && <ProblemNote error={sign.error} />}
      {sign.data && <p role="status">{text.done(sign.data.person.name)}</p>}
    </Card>
  );
}

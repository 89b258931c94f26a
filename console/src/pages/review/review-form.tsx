import type { ReviewScope } from '@authz-service/sdk/console-client';
import { type FormEvent, useState } from 'react';
import { review } from '../../text/review.js';
import { Button } from '../../ui/button.js';
import { Field, TextField } from '../../ui/field.js';
import type { PageSearch } from '../../ui/page-search.js';
import { RecordField } from '../../ui/record-field.js';
import styles from './review-page.module.css';

const PARTS = ['application', 'resource_type', 'resource'] as const;

/** What the form holds and the address of the page says. */
export interface Reviewed {
  part: ReviewScope['part'];
  path: string;
  /** Separated by commas. */
  actions: string;
  at: string;
  /** The clock of a review at a revision: RFC 3339; empty for that of `at`. */
  as_of: string;
}

export function reviewedOf({ part, path = '', actions = '', at = '', as_of = '' }: PageSearch): Reviewed {
  return { part: PARTS.find((one) => one === part) ?? 'application', path, actions, at, as_of };
}

/** Whether two reviews ask the same. */
export function isSameReview(left: Reviewed, right: Reviewed): boolean {
  return (['part', 'path', 'actions', 'at', 'as_of'] as const).every((field) => left[field] === right[field]);
}

/** The part as the service takes it. */
export function scopeOf({ part, path, actions }: Reviewed): ReviewScope {
  const list = actions
    .split(',')
    .map((action) => action.trim())
    .filter(Boolean);
  return { part, path, ...(list.length > 0 && { actions: list }) };
}

/** Chooses the part of the tenant to look at. */
export function ReviewForm({ reviewed, onShow }: { reviewed: Reviewed; onShow: (reviewed: Reviewed) => void }) {
  const [filled, setFilled] = useState(reviewed);
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const path = filled.path.trim();
    setMissing(path === '');
    if (path !== '') onShow({ ...filled, path, actions: filled.actions.trim(), at: filled.at.trim(), as_of: '' });
  };
  return (
    <search>
      <form className={styles.form} onSubmit={submit} noValidate>
        <Field label={review.part}>
          {(attributes) => (
            <select
              {...attributes}
              value={filled.part}
              onChange={({ target }) => setFilled({ ...filled, part: target.value as Reviewed['part'], path: '' })}
            >
              {PARTS.map((part) => (
                <option key={part} value={part}>
                  {review.parts[part]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <RecordField
          label={review.which[filled.part]}
          kind={filled.part}
          hint={review.whichHint[filled.part]}
          value={filled.path}
          onChange={(path) => setFilled({ ...filled, path })}
          fault={missing ? review.needed : undefined}
        />
        <TextField
          label={review.actions}
          hint={review.actionsHint}
          value={filled.actions}
          onChange={(actions) => setFilled({ ...filled, actions })}
        />
        <TextField
          label={review.at}
          hint={review.atHint}
          value={filled.at}
          onChange={(at) => setFilled({ ...filled, at })}
        />
        <Button kind="primary" type="submit">
          {review.show}
        </Button>
      </form>
    </search>
  );
}

import type { ReviewScope } from '@authz-service/sdk/console-client';
import { type FormEvent, useState } from 'react';
import { review } from '../../text/review.js';
import { kindOf, pathOf } from '../../ui/address-parts.js';
import { Button } from '../../ui/button.js';
import { Field, TextField } from '../../ui/field.js';
import type { PageSearch } from '../../ui/page-search.js';
import { RecordField } from '../../ui/record-field.js';
import styles from './review-page.module.css';

const SCOPE_KINDS = ['application', 'resource_type', 'resource', 'subject'] as const;

/** The values that the form holds and the address of the page names. */
export interface Reviewed {
  kind: (typeof SCOPE_KINDS)[number];
  path: string;
  /** Separated by commas. */
  actions: string;
  at: string;
  /** The clock of a review at a revision: RFC 3339; empty for that of `at`. */
  as_of: string;
}

export function reviewedOf({ scope = '', actions = '', at = '', as_of = '' }: PageSearch): Reviewed {
  const kind = SCOPE_KINDS.find((one) => one === kindOf(scope));
  if (kind === undefined) return { kind: 'application', path: '', actions, at, as_of };
  return { kind, path: pathOf(scope), actions, at, as_of };
}

/** Returns the address of a review's page. */
export function searchOf({ kind, path, ...rest }: Reviewed): PageSearch {
  return { scope: `${kind}/${path}`, ...rest };
}

/** Whether two reviews ask the same. */
export function isSameReview(left: Reviewed, right: Reviewed): boolean {
  return (['kind', 'path', 'actions', 'at', 'as_of'] as const).every((field) => left[field] === right[field]);
}

/** The scope as the service takes it. */
export function scopeOf({ kind, path, actions }: Reviewed): ReviewScope {
  const list = actions
    .split(',')
    .map((action) => action.trim())
    .filter(Boolean);
  return { scope: `${kind}/${path}`, ...(list.length > 0 && { actions: list }) };
}

/** Chooses the scope to look at. */
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
        <Field label={review.scope}>
          {(attributes) => (
            <select
              {...attributes}
              value={filled.kind}
              onChange={({ target }) => setFilled({ ...filled, kind: target.value as Reviewed['kind'], path: '' })}
            >
              {SCOPE_KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {review.scopes[kind]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <RecordField
          label={review.which[filled.kind]}
          kind={filled.kind}
          hint={review.whichHint[filled.kind]}
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

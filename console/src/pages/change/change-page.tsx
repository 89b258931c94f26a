import { ServiceError } from '@authz-service/sdk/service-error';
import type { Change, Kind } from '@authz-service/sdk/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { CONSOLE_STACK, dropCommitted, saveDraft, useDraft } from '../../api/draft.js';
import {
  type Draft,
  draftedFields,
  forOwner,
  titleOfChange,
  withChange,
  withReplaced,
} from '../../api/drafted-changes.js';
import { queryClient } from '../../api/query-client.js';
import { useMay } from '../../api/session.js';
import { KIND_TEXTS, text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { Empty } from '../../ui/empty.js';
import { Field, TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { useSettled } from '../../ui/use-settled.js';
import { BaseMoved } from './base-moved.js';
import styles from './change-page.module.css';
import { EditRecord } from './edit-record.js';
import { PlanOfDraft, TextsOfDraft } from './plan-of-draft.js';
import { RecordForm } from './record-form.js';
import { DRAFTED_KINDS } from './record-schemas.js';

/** For how long a draft has to stay the same before it is planned: each plan is work for the service. */
const SETTLED_MS = 400;

type Creation = Extract<Change, { op: 'create' }>;

/** Collects changes, says what they would do, and takes them to Git or commits them. */
export function ChangePage() {
  const draft = useDraft();
  const { edit, add } = usePageSearch();
  const navigate = useNavigate();
  const mayWrite = useMay('records:write', 'access-rules');
  const [adding, setAdding] = useState<Kind | undefined>(DRAFTED_KINDS.find((one) => one === add));
  const stopAdding = () => {
    setAdding(undefined);
    if (add !== undefined) void navigate({ to: '/change' });
  };
  /** A drafted record that is being edited again. */
  const [again, setAgain] = useState<Creation>();
  const [kind, setKind] = useState<Kind>('subject');
  const revision = useQuery({
    queryKey: ['audit', 'newest'],
    queryFn: async ({ signal }) => (await client.commits({ limit: 1 }, signal)).items[0]?.revision ?? '',
  });
  const base = revision.data ?? '';
  const commit = useMutation({
    mutationFn: ({ base, stack, changes, key }: Draft) =>
      client.changeset({ base_revision: base, stack, changes }, { idempotencyKey: key }),
    onSuccess: async ({ revision }, { changes }) => {
      dropCommitted(changes, revision);
      await queryClient.invalidateQueries();
    },
    onError: () => revision.refetch(),
  });
  // It may have been committed: sent once more under its key, it gets the first answer.
  const unclear = commit.variables?.key === draft.key && isUnclear(commit.error);
  const moved = !unclear && draft.changes.length > 0 && base !== '' && draft.base !== base;
  const mayCommit = mayWrite && draft.changes.length > 0 && draft.stack === CONSOLE_STACK;
  const changing = useSettled(draft, SETTLED_MS) !== draft;
  const document = JSON.stringify(
    { base_revision: draft.base, stack: draft.stack, changes: draft.changes },
    undefined,
    2,
  );
  return (
    <>
      <PageHeader title={text.change.title} under={text.change.under} />
      {revision.error && <ProblemNote error={revision.error} retry={() => revision.refetch()} />}
      <div className={styles.columns}>
        <div className={styles.side}>
          <Card title={text.change.draft}>
            {draft.changes.length === 0 && <Empty title={text.change.empty}>{text.change.emptyHint}</Empty>}
            <ul className={styles.changes}>
              {draft.changes.map((change, index) => (
                <li key={JSON.stringify(change)}>
                  <Badge tone={TONES[change.op]}>{text.change.op[change.op]}</Badge>
                  <span className={styles.what}>{titleOfChange(change)}</span>
                  {change.op === 'create' && (
                    <Button
                      small
                      aria-label={`${text.change.edit}: ${titleOfChange(change)}`}
                      onPress={() => setAgain(change)}
                    >
                      {text.change.edit}
                    </Button>
                  )}
                  {change.op === 'update' && (
                    <Link
                      to="/change"
                      search={{ edit: change.address }}
                      aria-label={`${text.change.edit}: ${titleOfChange(change)}`}
                    >
                      {text.change.edit}
                    </Link>
                  )}
                  <Button
                    small
                    aria-label={`${text.change.drop}: ${titleOfChange(change)}`}
                    onPress={() => saveDraft({ ...draft, changes: draft.changes.filter((_, at) => at !== index) })}
                  >
                    {text.change.drop}
                  </Button>
                </li>
              ))}
            </ul>
            <div className={styles.choices}>
              <div className={styles.add}>
                <Field label={text.change.kind}>
                  {(attributes) => (
                    <select {...attributes} value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
                      {DRAFTED_KINDS.map((one) => (
                        <option key={one} value={one}>
                          {KIND_TEXTS[one].one}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Button isDisabled={base === ''} onPress={() => setAdding(kind)}>
                  {text.change.add}
                </Button>
              </div>
              <TextField
                label={text.change.stack}
                hint={text.change.stackHint}
                value={draft.stack}
                onChange={(stack) => saveDraft({ ...draft, stack })}
              />
            </div>
          </Card>
        </div>
        {draft.changes.length > 0 && draft.stack !== '' && (
          <div className={`${styles.side} ${styles.plan}`}>
            {moved && <BaseMoved key={`${draft.key} ${base}`} draft={draft} newest={base} />}
            {!moved && changing && <p role="status">{text.change.planning}</p>}
            {!moved && !changing && <PlanOfDraft draft={draft} />}
          </div>
        )}
        <div className={styles.side}>
          {mayCommit && (
            <Card title={text.change.commitTitle}>
              <p className={layout.hint}>{text.change.commitHint}</p>
              <div>
                <Button kind="primary" isDisabled={commit.isPending} onPress={() => commit.mutate(draft)}>
                  {commit.error && commit.variables?.key === draft.key ? text.change.commitAgain : text.change.commit}
                </Button>
              </div>
            </Card>
          )}
          {commit.error && !moved && (
            <ProblemNote
              error={commit.error}
              title={text.errors.notDone}
              {...(unclear && { detail: text.change.unclear })}
            />
          )}
          {commit.data && <p role="status">{text.change.committed(commit.data.revision)}</p>}
          {draft.changes.length > 0 && (
            <Card title={text.change.take}>
              {draft.stack !== CONSOLE_STACK && <p className={layout.hint}>{text.change.inGit(draft.stack)}</p>}
              <p className={layout.hint}>{text.change.takeHint}</p>
              <CodeBlock label={text.change.take} code={document} file="change.json" />
              <TextsOfDraft draft={draft} planned={draft.stack !== '' && !moved && !changing} />
            </Card>
          )}
        </div>
      </div>
      {adding !== undefined && (
        <Dialog wide keep title={text.change.addTitle(KIND_TEXTS[adding].one)} onClose={stopAdding}>
          <RecordForm
            kind={adding}
            onCancel={stopAdding}
            onDone={(fields) => {
              saveDraft(withChange(draft, { op: 'create', kind: adding, fields }, base));
              stopAdding();
            }}
          />
        </Dialog>
      )}
      {again !== undefined && (
        <Dialog wide keep title={text.change.editTitle(titleOfChange(again))} onClose={() => setAgain(undefined)}>
          <RecordForm
            kind={again.kind}
            fields={again.fields}
            onCancel={() => setAgain(undefined)}
            onDone={(fields) => {
              saveDraft(withReplaced(draft, again, { ...again, fields }, base));
              setAgain(undefined);
            }}
          />
        </Dialog>
      )}
      {edit !== undefined && base !== '' && (
        <EditRecord
          key={edit}
          address={edit}
          base={draft.base === '' ? base : draft.base}
          drafted={draftedFields(draft, edit)}
          onClose={() => navigate({ to: '/change' })}
          onChange={(change, from, owner) => {
            saveDraft(withChange(forOwner(draft, owner, CONSOLE_STACK), change, from));
            void navigate({ to: '/change' });
          }}
        />
      )}
    </>
  );
}

function isUnclear(error: Error | null): boolean {
  return error instanceof ServiceError && (error.code === 'network' || error.code === 'timeout');
}

const TONES = { create: 'good', update: 'warn', move: 'warn', adopt: 'plain', delete: 'bad' } as const;

import type { Kind } from '@authz-service/sdk/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { CONSOLE_STACK, saveDraft, titleOfChange, useDraft, withChange } from '../../api/draft.js';
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
import styles from './change-page.module.css';
import { EditRecord } from './edit-record.js';
import { PlanOfDraft } from './plan-of-draft.js';
import { RecordForm } from './record-form.js';
import { DRAFTED_KINDS } from './record-schemas.js';

/** Collects changes, says what they would do, and takes them to Git or commits them. */
export function ChangePage() {
  const draft = useDraft();
  const { edit } = usePageSearch();
  const navigate = useNavigate();
  const mayWrite = useMay('records:write', 'access-rules');
  const [adding, setAdding] = useState<Kind>();
  const [kind, setKind] = useState<Kind>('subject');
  const revision = useQuery({
    queryKey: ['audit', 'newest'],
    queryFn: async ({ signal }) => (await client.commits({ limit: 1 }, signal)).items[0]?.revision ?? '',
  });
  const base = revision.data ?? '';
  const commit = useMutation({
    mutationFn: () => client.changeset({ base_revision: draft.base, stack: draft.stack, changes: draft.changes }),
    onSuccess: async () => {
      saveDraft({ ...draft, changes: [] });
      await queryClient.invalidateQueries();
    },
  });
  const document = JSON.stringify(
    { base_revision: draft.base, stack: draft.stack, changes: draft.changes },
    undefined,
    2,
  );
  return (
    <>
      <PageHeader title={text.change.title} under={text.change.under} />
      {revision.error && <ProblemNote error={revision.error} retry={() => revision.refetch()} />}
      <div className={`${layout.columns} ${styles.columns}`}>
        <div className={styles.side}>
          <Card title={text.change.draft}>
            {draft.changes.length === 0 && <Empty title={text.change.empty}>{text.change.emptyHint}</Empty>}
            <ul className={styles.changes}>
              {draft.changes.map((change, index) => (
                <li key={JSON.stringify(change)}>
                  <Badge tone={TONES[change.op]}>{text.change.op[change.op]}</Badge>
                  <span className={styles.what}>{titleOfChange(change)}</span>
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
          </Card>
          {draft.changes.length > 0 && (
            <Card title={text.change.take}>
              <p className={layout.hint}>{text.change.takeHint}</p>
              <CodeBlock label={text.change.take} code={document} />
              {draft.stack !== CONSOLE_STACK && <p className={layout.hint}>{text.change.inGit(draft.stack)}</p>}
              {mayWrite && draft.stack === CONSOLE_STACK && (
                <>
                  <p className={layout.hint}>{text.change.commitHint}</p>
                  <div>
                    <Button kind="primary" isDisabled={commit.isPending} onPress={() => commit.mutate()}>
                      {text.change.commit}
                    </Button>
                  </div>
                </>
              )}
            </Card>
          )}
          {commit.error && (
            <>
              <ProblemNote error={commit.error} />
              <Button isDisabled={base === ''} onPress={() => saveDraft({ ...draft, base })}>
                {text.change.rebase}
              </Button>
            </>
          )}
          {commit.data && <p role="status">{text.change.committed(commit.data.revision)}</p>}
        </div>
        {draft.changes.length > 0 && draft.stack !== '' && <PlanOfDraft draft={draft} />}
      </div>
      {adding !== undefined && (
        <Dialog wide title={text.change.addTitle(KIND_TEXTS[adding].one)} onClose={() => setAdding(undefined)}>
          <RecordForm
            kind={adding}
            onCancel={() => setAdding(undefined)}
            onDone={(fields) => {
              saveDraft(withChange(draft, { op: 'create', kind: adding, fields }, base));
              setAdding(undefined);
            }}
          />
        </Dialog>
      )}
      {edit !== undefined && base !== '' && (
        <EditRecord
          address={edit}
          onClose={() => navigate({ to: '/change' })}
          onChange={(change) => {
            saveDraft(withChange(draft, change, base));
            void navigate({ to: '/change' });
          }}
        />
      )}
    </>
  );
}

const TONES = { create: 'good', update: 'warn', move: 'warn', adopt: 'plain', delete: 'bad' } as const;

import type { Change, WireRecord } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundRecord } from '../../api/answers.js';
import { clientAt } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { declaredFields } from '../../ui/declared-fields.js';
import { Dialog } from '../../ui/dialog.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { kindOf, pathOf } from '../../ui/record-link.js';
import { RecordForm } from './record-form.js';

interface Props {
  address: string;
  /** The revision to change it from. */
  base: string;
  /** The fields that the draft gives it already: the form goes on from there. */
  drafted?: Record<string, unknown> | undefined;
  /** `base` is the revision that the form was filled from; `owner` is whose the record is, where that was asked. */
  onChange: (change: Change, base: string, owner: string | undefined) => void;
  onClose: () => void;
}

/**
 * Takes a change or the removal of a record into the draft. The form stays with the revision at which it was opened: what
 * others commit meanwhile is merged with the draft, not overwritten by what the form showed before.
 */
export function EditRecord({ address, base, drafted, onChange, onClose }: Props) {
  const kind = kindOf(address);
  const [opened] = useState({ base, drafted });
  const { data, error } = useQuery({
    queryKey: ['record', address, opened.base],
    queryFn: async ({ signal }) => {
      const record: WireRecord = await clientAt(opened.base).records(kind).get(pathOf(address), { signal });
      return { owner: record.managed_by, fields: declaredFields(record as unknown as FoundRecord) };
    },
    enabled: opened.drafted === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const fields = opened.drafted ?? data?.fields;
  const change = (made: Change) => onChange(made, opened.base, data?.owner);
  return (
    <Dialog wide keep title={text.change.editTitle(address)} onClose={onClose}>
      {error && <ProblemNote error={error} />}
      {fields === undefined && !error && <p role="status">{text.common.loading}</p>}
      {fields !== undefined && (
        <>
          <RecordForm
            kind={kind}
            fields={fields}
            onCancel={onClose}
            onDone={(changed) => change({ op: 'update', address, fields: changed })}
          />
          <div className={layout.buttons}>
            <Button kind="danger" onPress={() => change({ op: 'delete', address })}>
              {text.change.removal}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

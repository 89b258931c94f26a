import type { Change, WireRecord } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
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
  /** What the draft gives it already: the form goes on from there. */
  drafted?: Record<string, unknown> | undefined;
  onChange: (change: Change) => void;
  onClose: () => void;
}

/** Takes a change or the removal of a record into the draft. */
export function EditRecord({ address, drafted, onChange, onClose }: Props) {
  const kind = kindOf(address);
  const { data, error } = useQuery({
    queryKey: ['record', address],
    queryFn: async ({ signal }) => {
      const record: WireRecord = await client.records(kind).get(pathOf(address), { signal });
      return record as unknown as FoundRecord;
    },
  });
  return (
    <Dialog wide keep title={text.change.editTitle(address)} onClose={onClose}>
      {error && <ProblemNote error={error} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && (
        <>
          <RecordForm
            kind={kind}
            fields={drafted ?? declaredFields(data)}
            onCancel={onClose}
            onDone={(fields) => onChange({ op: 'update', address, fields })}
          />
          <div className={layout.buttons}>
            <Button kind="danger" onPress={() => onChange({ op: 'delete', address })}>
              {text.change.removal}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

import type { EngineRecord } from '../../decision/api/engine.js';
import type { Fields } from '../../records/registry.js';
import { textsInCondition } from '../remainder/texts-in-condition.js';
import type { ChangedRecord } from './record-changes.js';

/** The texts that conditions which read `subject.type` write out: each may be a type of subjects without any record. */
export function typesInConditions(records: Iterable<EngineRecord>, changes: readonly ChangedRecord[]): Set<string> {
  const types = new Set<string>();
  const read = (record: EngineRecord | undefined) => {
    if (record?.kind !== 'policy') return;
    const { condition } = record.fields as Fields<'policy'>;
    for (const type of textsInCondition(condition, 'subject.type')) types.add(type);
  };
  for (const record of records) read(record);
  for (const { after } of changes) read(after);
  return types;
}

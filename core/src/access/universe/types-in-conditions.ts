import { conditionReads, textsInCondition } from '../../conditions/residual/texts-in-condition.js';
import type { Fields } from '../../records/registry.js';
import type { EngineRecord } from '../api/engine.js';
import type { ChangedRecord } from './record-changes.js';

/**
 * The texts that conditions which read `subject.type` write out: each may be a type of subjects without any record.
 * Undefined if none reads it.
 */
export function typesInConditions(
  records: Iterable<EngineRecord>,
  changes: readonly ChangedRecord[],
): ReadonlySet<string> | undefined {
  const types = new Set<string>();
  let reads = false;
  const read = (record: EngineRecord | undefined) => {
    if (record?.kind !== 'policy') return;
    const { condition } = record.fields as Fields<'policy'>;
    if (!conditionReads(condition, 'subject.type')) return;
    reads = true;
    for (const type of textsInCondition(condition, 'subject.type')) types.add(type);
  };
  for (const record of records) read(record);
  for (const { after } of changes) read(after);
  return reads ? types : undefined;
}

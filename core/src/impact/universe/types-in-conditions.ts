import type { EngineRecord } from '../../decision/api/engine.js';
import type { Fields } from '../../records/registry.js';
import { parsedCondition } from '../remainder/specialise.js';
import { partsOf } from '../remainder/syntax.js';
import type { ChangedRecord } from './record-changes.js';

type Part = Parameters<typeof partsOf>[0];

/** The texts that conditions which read `subject.type` write out: each may be a type of subjects without any record. */
export function typesInConditions(records: Iterable<EngineRecord>, changes: readonly ChangedRecord[]): Set<string> {
  const types = new Set<string>();
  const visit = (part: Part) => {
    if (part.op === 'value' && typeof part.args === 'string') types.add(part.args);
    for (const inner of partsOf(part)) visit(inner);
  };
  const read = (record: EngineRecord | undefined) => {
    if (record?.kind !== 'policy') return;
    const { condition } = record.fields as Fields<'policy'>;
    if (condition === undefined || !/\bsubject\b/.test(condition) || !/\btype\b/.test(condition)) return;
    const ast = parsedCondition(condition);
    if (ast !== undefined) visit(ast);
  };
  for (const record of records) read(record);
  for (const { after } of changes) read(after);
  return types;
}

import type { Json } from '@authz-service/core/json';
import { describe } from '@authz-service/core/plan/describe';
import { differences } from '@authz-service/core/plan/differences';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Diagnostic } from '../framework/diagnostics.js';
import { equalValues } from '../framework/equal.js';
import { isWhollyKnown, type Values } from '../framework/value.js';
import type { RecordForm } from './record-form.js';

/**
 * Terraform shows what exists already as about to be created: what that changes is said beside it. The summary names the
 * record, since Terraform shows only the first of several warnings that have the same one.
 */
export function takenOver(form: RecordForm, held: StoredRecord, planned: Values, setsSecret: boolean): Diagnostic {
  const lines = [...changedLines(form, held, planned), ...(setsSecret ? ['  ~ secret = (sensitive value)'] : [])];
  const does =
    lines.length === 0 ? 'It holds what is declared here already.' : `What changes in it:\n${lines.join('\n')}`;
  const detail = `It exists already and belongs to the stack "${held.managed_by}": the apply takes it over. ${does}`;
  return { severity: 'warning', summary: `"${held.address}" is taken over`, detail };
}

/** Lines that begin with a space stay as they are where Terraform shows them. */
function changedLines(form: RecordForm, held: StoredRecord, planned: Values): string[] {
  const before: Record<string, Json> = {};
  const after: Record<string, Json> = {};
  const later: string[] = [];
  const fields = held.fields as Record<string, Json | undefined>;
  for (const [name, { attribute, toField, toValue }] of form.forms) {
    const value = planned[name] ?? null;
    const present = toValue(fields[name]);
    if (!isWhollyKnown(value)) later.push(name);
    else if (!equalValues(attribute, present, value) && attribute.same?.(present, value) !== true) {
      const field = toField(value) as Json | undefined;
      if (fields[name] !== undefined) before[name] = fields[name];
      if (field !== undefined) after[name] = field;
    }
  }
  const { kind, address } = held;
  const changed = { kind, address, action: 'update', fields: after, differences: differences(before, after) } as const;
  return [
    ...describe(changed).details.map(({ name, before: old, after: now }) => {
      if (old === undefined) return `  + ${name} = ${now}`;
      return now === undefined ? `  - ${name} = ${old}` : `  ~ ${name} = ${old} -> ${now}`;
    }),
    ...later.map((name) => `  ~ ${name} = (known after apply)`),
  ];
}

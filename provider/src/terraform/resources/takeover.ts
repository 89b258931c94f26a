import type { Json } from '@authz-service/core/json';
import { describe } from '@authz-service/core/plan/describe';
import { differences } from '@authz-service/core/plan/differences';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Diagnostic } from '../framework/diagnostics.js';
import { equalValues } from '../framework/equal.js';
import { hclString } from '../framework/hcl-text.js';
import { isWhollyKnown, type Values } from '../framework/value.js';
import type { RecordForm } from './record-form.js';
import type { Service } from './service.js';

/**
 * Terraform shows what exists already as about to be created: what that changes is said beside it. The summary names the
 * record, since Terraform shows only the first of several warnings that have the same one.
 */
export function foundInPlace(
  form: RecordForm,
  held: StoredRecord,
  planned: Values,
  service: Pick<Service, 'stack' | 'takesOver'>,
  setsSecret: boolean,
): Diagnostic {
  const { kind, address, managed_by: owner } = held;
  const lines = [...changedLines(form, held, planned), ...(setsSecret ? ['  ~ secret = (sensitive value)'] : [])];
  const does =
    lines.length === 0 ? 'It holds what is declared here already.' : `What changes in it:\n${lines.join('\n')}`;
  if (owner !== service.stack) {
    const detail = `It exists already and belongs to the stack "${owner}": the apply takes it over. ${does}`;
    return { severity: 'warning', summary: `"${address}" is taken over`, detail };
  }
  const found = `It belongs to this stack, "${owner}", and the state does not hold it for this resource, as after an apply that was killed.`;
  const then = service.takesOver(held)
    ? `Unless this run removes it under another label, the apply takes it over. ${does}`
    : `Unless this run removes it under another label, its creation fails. It is not taken over unasked: ${notAdopted(kind, owner)}`;
  return { severity: 'warning', summary: `"${address}" exists already in this stack`, detail: `${found} ${then}` };
}

/** Why a record of the stack's own is not taken over unasked, and what to do. */
export function notAdopted(kind: Kind, stack: string): string {
  return isCredential(kind)
    ? 'its secret was shown once, to the run that made it. Remove it, and Terraform makes another; or take it over without its secret by take_ownership = true in the provider block.'
    : `another configuration may have the stack "${stack}", too, since that is the default. If it is this one's, name it in the provider block: stack = ${hclString(stack)}.`;
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

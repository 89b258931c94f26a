import type { Json } from '@authz-service/core/json/json';
import { describe } from '@authz-service/core/plan/describe';
import { differences } from '@authz-service/core/plan/differences';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Diagnostic } from '../framework/diagnostics.js';
import { meanSame } from '../framework/equal.js';
import { hclString } from '../framework/hcl-text.js';
import { isWhollyKnown, type Values } from '../framework/value.js';
import type { RecordForm } from './record-form.js';
import type { Service } from './service.js';

/**
 * Terraform shows an existing record as about to be created, so a warning says what changes in it. The summary names
 * the record, because Terraform shows only the first of several warnings with the same summary.
 */
export function foundInPlace(
  form: RecordForm,
  held: StoredRecord,
  planned: Values,
  service: Pick<Service, 'stack' | 'takesOver' | 'inState'>,
  setsSecret: boolean,
): Diagnostic {
  const { kind, address, managed_by: owner } = held;
  const lines = [...changedLines(form, held, planned), ...(setsSecret ? ['  ~ secret = (sensitive value)'] : [])];
  const does =
    lines.length === 0 ? 'It already holds what is declared here.' : `What changes in it:\n${lines.join('\n')}`;
  if (owner !== service.stack) {
    const detail = `It already exists and belongs to the stack "${owner}": the apply takes it over. ${does}`;
    return { severity: 'warning', summary: `"${address}" is taken over`, detail };
  }
  if (service.inState.has(address)) {
    const detail = `The state holds it. If it is tainted, the apply replaces it in one step, and the records that mention it stay; if this run removes it under another label, the apply makes it anew. ${does}`;
    return { severity: 'warning', summary: `"${address}" is replaced under its own name`, detail };
  }
  const found = `It belongs to this stack, "${owner}", but this resource does not hold it in the state, for example after a killed apply.`;
  const then = service.takesOver(held)
    ? `Unless this run removes it under another label, the apply takes it over. ${does}`
    : `Unless this run removes it under another label, its creation fails. It is not taken over without consent: ${notAdopted(kind, owner)}`;
  return { severity: 'warning', summary: `"${address}" exists already in this stack`, detail: `${found} ${then}` };
}

/** Why a record of the same stack is not taken over without consent, and what to do. */
export function notAdopted(kind: Kind, stack: string): string {
  return isCredential(kind)
    ? 'its secret was shown only to the run that created it. Remove it, and Terraform creates another; or take it over without its secret with take_ownership = true in the provider block.'
    : `another configuration may use the stack "${stack}", too, since that is the default. If the record belongs to this one, name the stack in the provider block: stack = ${hclString(stack)}.`;
}

/** Terraform keeps the layout of lines that begin with a space. */
function changedLines(form: RecordForm, held: StoredRecord, planned: Values): string[] {
  const before: Record<string, Json> = {};
  const after: Record<string, Json> = {};
  const later: string[] = [];
  const fields = held.fields as Record<string, Json | undefined>;
  for (const [name, { attribute, toField, toValue }] of form.forms) {
    const value = planned[name] ?? null;
    const present = toValue(fields[name]);
    if (!isWhollyKnown(value)) later.push(name);
    else if (!meanSame(attribute, present, value)) {
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

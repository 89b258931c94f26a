import { splitReference } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { type Fields, referencesOf } from '@authz-service/core/records/registry';
import { suggester } from '@authz-service/core/state/suggest';
import { danglingDetail } from '@authz-service/core/state/validate';
import { type Diagnostic, pathText } from '../framework/diagnostics.js';
import { isWhollyKnown, type Values } from '../framework/value.js';
import { fieldsFrom } from './field-form.js';
import { pathOf, recordFrom } from './judge.js';
import { type RecordForm, typeName } from './record-form.js';
import type { Service } from './service.js';
import type { Records } from './snapshot.js';

/**
 * The planned references that lead nowhere: neither to a record of the service nor to one that this run has planned.
 * Terraform plans a record before those that refer to it. References that are known only after apply are not checked.
 */
export function danglingIn(
  form: RecordForm,
  planned: Values,
  records: Records,
  declared: ReadonlySet<string>,
): Diagnostic[] {
  const isKnown = (name: string) => isWhollyKnown(planned[name] ?? null);
  const known = new Map([...form.forms].filter(([name]) => isKnown(name)));
  const suggest = suggester();
  const view = {
    get: (address: string) => records.get(address),
    inbound: () => [],
    addresses: (kind: Kind) => addressesOf(kind, records, declared),
  };
  return referencesOf(form.kind, fieldsFrom(known, planned))
    .map(({ pointer, target }) => ({ path: pathOf(pointer), target }))
    .filter(({ path: [name] }) => isKnown(String(name)) && (name !== 'entity' || isKnown('entity_type')))
    .filter(({ target }) => records.get(target) === undefined && !declared.has(target))
    .map(({ path, target }): Diagnostic => {
      const field = String(path.findLast((step) => typeof step === 'string'));
      const detail = `${pathText(path)}: ${danglingDetail(target, view, suggest, false)} ${referTo(field, splitReference(target).kind)} Records of another provider block must be applied before.`;
      return { severity: 'error', summary: `Invalid ${String(path[0])}`, detail, path };
    });
}

/**
 * The same, once what may be planned at the same time is planned: types that hold each other name each other by text, so
 * that Terraform knows no order of the two.
 */
export async function finallyDangling(
  form: RecordForm,
  planned: Values,
  records: Records,
  service: Service,
): Promise<Diagnostic[]> {
  const found = danglingIn(form, planned, records, service.declared);
  if (form.kind !== 'resource_type' || found.length === 0) return found;
  const fields = recordFrom(form, planned)?.fields as Partial<Fields<'resource_type'>> | undefined;
  const missing = (fields?.parents ?? []).map(({ type }) => `resource_type/${type}`);
  await Promise.all(missing.filter((type) => records.get(type) === undefined).map((type) => service.plannedSoon(type)));
  return danglingIn(form, planned, records, service.declared);
}

/** Says how to refer to a record so that Terraform creates it first. */
export function referTo(field: string, kind?: Kind): string {
  const type = kind === undefined ? 'service_…' : typeName(kind);
  return `A record of this configuration is referred to as ${field} = ${type}.NAME.path, so that Terraform creates it first.`;
}

function* addressesOf(kind: Kind, records: Records, declared: ReadonlySet<string>): Generator<string> {
  for (const record of records.all()) if (record.kind === kind) yield record.address;
  for (const address of declared) if (address.startsWith(`${kind}/`)) yield address;
}

import { splitAddress } from '@authz-service/core/records/address';
import { isCredential, type Kind } from '@authz-service/core/records/kinds';
import { addressOf, definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import { titleOf } from '@authz-service/core/state/kind-words';
import type { Attributes } from '../framework/schema.js';
import { isWhollyKnown, UNKNOWN, type Value, type Values } from '../framework/value.js';
import { attributesOf, type FieldForms, fieldsFrom, formsOf, valuesFrom } from './field-form.js';

/** One kind of record as Terraform sees it, derived from the kind's definition. */
export interface RecordForm {
  kind: Kind;
  forms: FieldForms;
  /** The fields' attributes, and those that the service adds to each record. */
  attributes: Attributes;
  /** The fields of the natural key. */
  key: FieldForms;
}

/** The resource type of a kind. */
export function typeName(kind: Kind): string {
  return `service_${kind}`;
}

export function recordForm(kind: Kind): RecordForm {
  const { schema } = definitionOf(kind);
  const forms = formsOf(schema.shape);
  const fields = attributesOf(forms);
  const key = new Map([...forms].filter(([, { attribute }]) => attribute.replace));
  return { kind, forms, key, attributes: { ...made(kind), ...fields } };
}

/** The attributes that the service adds. A subject's `id` is a field of its own and takes the place of this one. */
function made(kind: Kind): Attributes {
  const text = (description: string) => ({ type: 'string' as const, description, computed: true, stable: true });
  const reference = isCredential(kind) ? '' : ` References take it: \`${typeName(kind)}.NAME.path\`.`;
  return {
    id: text('The id that the service gave the record.'),
    address: text(`The record's address: \`${kind}/\` and its path. Imports take it.`),
    path: text(`The names that identify the record, joined by slashes.${reference}`),
    managed_by: text('The stack that owns the record.'),
  };
}

/** The record's path and address, as far as its key is known. */
export function identityOf({ kind, key }: RecordForm, values: Values): { path: Value; address: Value } {
  for (const name of key.keys()) if (!isWhollyKnown(values[name] ?? null)) return { path: UNKNOWN, address: UNKNOWN };
  const address = addressOf(kind, fieldsFrom(key, values));
  return { address, path: splitAddress(address).path };
}

/** The attributes of a record that the service holds. */
export function valuesOf({ forms, attributes }: RecordForm, record: StoredRecord): { [name: string]: Value } {
  const { id, address, managed_by } = record;
  const shared = { id, address, path: splitAddress(address).path, managed_by };
  const fields = valuesFrom(forms, record.fields);
  return { ...Object.fromEntries(Object.keys(attributes).map((name) => [name, null])), ...shared, ...fields };
}

/** A record in words, for diagnostics: `Role "billing/accountant"`. */
export function named({ kind, address }: { kind: Kind; address: string }): string {
  return `${titleOf(kind)} "${splitAddress(address).path}"`;
}

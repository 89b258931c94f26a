import type { Kind } from '@authz-service/core/records/kinds';
import { definitionOf, type Fields, type StoredRecord } from '@authz-service/core/records/registry';
import { metaOf } from '@authz-service/core/records/schema-shape';
import { keptSuspension } from '@authz-service/core/records/suspension';
import { UNKNOWN, type Value, type Values } from '../framework/value.js';
import { type RecordForm, valuesOf } from './record-form.js';

/** The attributes that a configuration may leave to others: if it gives none of them, all stay as the record has them. */
function keptNames({ kind }: RecordForm): string[] {
  return Object.entries(definitionOf(kind).schema.shape).flatMap(([name, field]) => (metaOf(field).kept ? [name] : []));
}

function leavesKept(form: RecordForm, config: Values): boolean {
  return keptNames(form).every((name) => (config[name] ?? null) === null);
}

/**
 * The kept attributes as planned: those of the state or of the record `held`, if the configuration gives none. If it gives
 * one, the others are absent.
 */
export function withKept(form: RecordForm, planned: Values, config: Values, held: StoredRecord | undefined): Values {
  const values = held === undefined ? {} : valuesOf(form, held);
  const kept = keptNames(form).map((name): [string, Value] => {
    if (!leavesKept(form, config)) return [name, (config[name] ?? null) === null ? null : (planned[name] ?? null)];
    return [name, planned[name] === UNKNOWN ? (values[name] ?? null) : (planned[name] ?? null)];
  });
  return { ...planned, ...Object.fromEntries(kept) };
}

/** The fields to write over the record `held`: it may have been suspended since the plan. */
export function overHeld(
  form: RecordForm,
  fields: Fields<Kind>,
  config: Values,
  held: StoredRecord | undefined,
): Fields<Kind> {
  if (held?.kind !== 'subject' || !leavesKept(form, config)) return fields;
  return keptSuspension(fields as Fields<'subject'>, held.fields);
}

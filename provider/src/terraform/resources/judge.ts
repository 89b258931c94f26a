import { type Address, splitReference } from '@authz-service/core/records/address';
import { HCL_WORDS } from '@authz-service/core/records/describe';
import { valueAt } from '@authz-service/core/records/issue-faults';
import { issueText } from '@authz-service/core/records/issue-text';
import type { Kind } from '@authz-service/core/records/kinds';
import { hasForm } from '@authz-service/core/records/path-form';
import { type DeclaredRecord, declare, definitionOf, type Fields } from '@authz-service/core/records/registry';
import type { RecordFinding, RecordView } from '@authz-service/core/state/change';
import { parseFields } from '@authz-service/core/state/parse-fields';
import { validateRecords } from '@authz-service/core/state/validate';
import * as z from 'zod';
import { type Diagnostic, type Path, pathText } from '../framework/diagnostics.js';
import { isList, isWhollyKnown, UNKNOWN, type Value, type Values } from '../framework/value.js';
import { type FieldForm, fieldsFrom, Unformable } from './field-form.js';
import type { RecordForm } from './record-form.js';

/** The records of configurations that have been checked. */
const right = new WeakMap<Values, DeclaredRecord>();

/** The record for planned values. In most cases it is the one of the configuration, which has been checked already. */
export function recordPlanned(form: RecordForm, planned: Values, config: Values): DeclaredRecord | undefined {
  const record = right.get(config);
  if (record === undefined) return recordFrom(form, planned);
  for (const [name, { attribute }] of form.forms) {
    if (planned[name] !== (config[name] ?? attribute.default ?? null)) return recordFrom(form, planned);
  }
  return record;
}

/** The record for completely known values; undefined while something is unknown or wrong. */
export function recordFrom(form: RecordForm, values: Values): DeclaredRecord | undefined {
  for (const name of form.forms.keys()) if (!isWhollyKnown(values[name] ?? null)) return undefined;
  try {
    const { fields } = parseFields(form.kind, fieldsFrom(form.forms, values));
    return fields === undefined ? undefined : declare(form.kind, fields as Fields<Kind>);
  } catch {
    return undefined;
  }
}

/**
 * The faults of a configuration by itself, without looking at other records. Unknown values are not checked, but the
 * known values beside them are; checks of the whole record put harmless values in place of the unknown ones.
 */
export function judgeConfig(form: RecordForm, config: Values): Diagnostic[] {
  // Most configurations are completely known and correct, which one check shows.
  const record = recordFrom(form, config);
  if (record !== undefined) {
    right.set(config, record);
    return findingsAlone(record).map(diagnosticOf);
  }
  const faults = [...form.forms].flatMap(([name, field]) => judgeField(form, name, field, config[name] ?? null));
  if (faults.length > 0) return faults;
  const isKnown = (name: string) => isWhollyKnown(config[name] ?? null);
  const filled: Values = Object.fromEntries(
    [...form.forms].map(([name, field]) => {
      const value = withoutUnknown(field, config[name] ?? null);
      return [name, judgeField(form, name, field, value).length === 0 ? value : null];
    }),
  );
  const { fields, faults: wrong } = parseFields(form.kind, fieldsFrom(form.forms, filled));
  if (fields === undefined) {
    const judged = [...form.forms.keys()].every(isKnown);
    return judged ? wrong.map(({ pointer, detail }) => faultAt(pathOf(pointer), detail)) : [];
  }
  return findingsAlone(declare(form.kind, fields as Fields<Kind>))
    .filter(({ pointer }) => isKnown(String(pathOf(pointer)[0])))
    .map(diagnosticOf);
}

/**
 * The faults of a record in relation to the others. The faults of the record alone were reported with its
 * configuration.
 */
export function judgeRecord(record: DeclaredRecord, view: RecordView): Diagnostic[] {
  const found = validateRecords(view, [record.address], { external: () => true });
  if (found.length === 0) return [];
  const alone = new Set(findingsAlone(record).map(({ pointer, detail }) => `${pointer} ${detail}`));
  return found.filter(({ pointer, detail }) => !alone.has(`${pointer} ${detail}`)).map(diagnosticOf);
}

function findingsAlone(record: DeclaredRecord): RecordFinding[] {
  const view = { get: (address: string) => (address === record.address ? record : undefined), inbound: () => [] };
  // Nothing more is known, except that a path with too few or too many names leads nowhere.
  return validateRecords(view, [record.address], { external: mayExist, now: Date.now() });
}

function mayExist(address: Address): boolean {
  const { kind, path } = splitReference(address);
  return hasForm(kind, path) || MOCKED.test(path);
}

/**
 * The value that `terraform test` invents for a path when the provider is mocked. Without mocks, the plan says that it
 * leads nowhere.
 */
const MOCKED = /^[a-z0-9]{8}$/;

function diagnosticOf({ severity, pointer, detail }: RecordFinding): Diagnostic {
  const path = pathOf(pointer);
  return { severity, summary: severity === 'error' ? summaryAt(path) : `Doubtful ${nameAt(path)}`, detail, path };
}

/** Converts a pointer (RFC 6901) into a record's fields to a path of its attributes, which have the same names. */
export function pathOf(pointer: string): Path {
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) =>
    /^\d+$/.test(token) ? Number(token) : token.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
}

/** The faults of one value by itself. */
export function judgeField({ kind }: RecordForm, name: string, form: FieldForm, value: Value): Diagnostic[] {
  const schema = definitionOf(kind).schema.shape[name];
  if (schema === undefined || value === null || value === UNKNOWN) return [];
  let field: unknown;
  try {
    field = form.toField(value);
  } catch (error) {
    if (error instanceof Unformable) return [faultAt([name], `${error.message}.`)];
    throw error;
  }
  const result = z.safeParse(schema, field);
  if (result.success) return [];
  return result.error.issues
    .filter((issue) => isWhollyKnown(partAt(value, issue.path)))
    .map((issue) =>
      faultAt([name, ...(issue.path as (string | number)[])], issueText(issue, valueAt(field, issue.path), HCL_WORDS)),
    );
}

/** The value at the path; unknown if it is part of something unknown. */
function partAt(value: Value, path: readonly PropertyKey[]): Value {
  let at: Value | undefined = value;
  for (const token of path) {
    if (at === UNKNOWN) return UNKNOWN;
    at = valueAt(at, [token]) as Value | undefined;
  }
  return at ?? null;
}

/** A text that begins in lower case is the end of a sentence whose beginning names the value at the path. */
function faultAt(path: Path, text: string): Diagnostic {
  const detail = path.length === 0 ? `The record ${text}` : `${pathText(path)}: ${text}`;
  return { severity: 'error', summary: summaryAt(path), detail, path };
}

const summaryAt = (path: Path) => (path.length === 0 ? 'Invalid record' : `Invalid ${nameAt(path)}`);
const nameAt = (path: Path) => String(path[0] ?? 'record');

/** The value with harmless ones in place of what is unknown; null if none is likely to fit. */
function withoutUnknown({ attribute }: FieldForm, value: Value): Value {
  if (isWhollyKnown(value)) return value;
  if ('nested' in attribute) return null;
  if (attribute.type === 'string') return 'unknown';
  if (isList(value)) return value.map((item) => (item === UNKNOWN ? 'unknown' : item));
  return typeof attribute.type === 'object' && 'set' in attribute.type ? ['unknown'] : null;
}

import { splitReference } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { referencesOf } from '@authz-service/core/records/registry';
import { suggester } from '@authz-service/core/state/suggest';
import { danglingDetail } from '@authz-service/core/state/validate';
import { type Diagnostic, pathText } from '../framework/diagnostics.js';
import { isWhollyKnown, type Values } from '../framework/value.js';
import { fieldsFrom } from './field-form.js';
import { pathOf } from './judge.js';
import { type RecordForm, typeName } from './record-form.js';
import type { Service } from './service.js';
import type { Records } from './snapshot.js';

/** A reference that leads nowhere, and the kind of the record that it means. */
export type Dangling = Diagnostic & { readonly kind: Kind };

/**
 * The planned references that lead nowhere: neither to a record of the service nor to one that this run has planned.
 * Terraform plans a record before those that refer to it. References that are known only after apply are not checked.
 */
export function danglingIn(
  form: RecordForm,
  planned: Values,
  records: Records,
  declared: ReadonlySet<string>,
): Dangling[] {
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
    .map(({ path, target }): Dangling => {
      const field = String(path.findLast((step) => typeof step === 'string'));
      const { kind } = splitReference(target);
      const detail = `${pathText(path)}: ${danglingDetail(target, view, suggest, false)} ${referTo(field, kind)} Records of another provider block must be applied before.`;
      return { severity: 'error', summary: `Invalid ${String(path[0])}`, detail, path, kind };
    });
}

/** The kinds whose records mention each other: trees of resources, roles that include roles, types that hold types. */
const OWN_KIND: ReadonlySet<Kind> = new Set<Kind>(['resource_type', 'resource', 'role']);
/** How long a record waits for one of its kind that it mentions, from the last arrival on. */
const QUIET_MS = 1_000;
/** The most that wait at once: Terraform plans ten resources at a time, and those that they wait for have to be among them. */
const WAITING_MAX = 4;

/**
 * The same, once what may be planned at the same time is planned. Records of one kind may mention each other by text, as a
 * tree that `for_each` makes from data, so that Terraform knows no order of them. What cannot wait is judged by the next that
 * has waited.
 */
export async function finallyDangling(
  form: RecordForm,
  planned: Values,
  records: Records,
  service: Service,
): Promise<Diagnostic[]> {
  const judge = () => danglingIn(form, planned, records, service.declared);
  const first = judge();
  const open = (found: readonly Dangling[]) => found.filter(({ kind }) => kind === form.kind);
  if (!OWN_KIND.has(form.kind) || open(first).length === 0) return first;
  const { unplaced } = service;
  if (unplaced.waiting >= WAITING_MAX) {
    unplaced.doubtful.push(() => open(judge()));
    return first.filter(({ kind }) => kind !== form.kind);
  }
  unplaced.waiting += 1;
  unplaced.together ||= unplaced.waiting > 1;
  let found = first;
  let quiet = false;
  while (!quiet && open(found).length > 0) {
    quiet = await service.quiet(QUIET_MS);
    unplaced.together ||= !quiet;
    found = judge();
  }
  unplaced.waiting -= 1;
  if (!quiet) return found;
  const all = [...found, ...unplaced.doubtful.splice(0).flatMap((again) => again())];
  return unplaced.together ? all : all.map((one) => (one.kind === form.kind ? notPlannedYet(one) : one));
}

/** A warning in place of an error: where Terraform plans one resource at a time, the record may be planned later. */
function notPlannedYet({ detail, path }: Diagnostic): Diagnostic {
  const more = 'If no resource of this configuration declares it, the apply is refused.';
  return { severity: 'warning', summary: 'Record not planned yet', detail: `${detail} ${more}`, ...(path && { path }) };
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

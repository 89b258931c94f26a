import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordView } from './change.js';
import { equalJson } from './equal-json.js';

/**
 * Untouched records whose validity hangs on a resource type that takes away actions or says something else about
 * properties or parents: its resources, its policies, and the policies on its resources and on what holds those. Each
 * with the address of that type. `before` are the touched records as they were, under the addresses they have now.
 */
export function affectedByTypes(view: RecordView, before: ReadonlyMap<Address, DeclaredRecord>): Map<Address, Address> {
  const affected = new Map<Address, Address>();
  for (const [address, previous] of before) {
    const present = view.get(address);
    if (previous.kind !== 'resource_type' || present?.kind !== 'resource_type') continue;
    const actions = new Set(present.fields.actions);
    const kept = previous.fields.actions.every((action) => actions.has(action));
    const placed = equalJson(previous.fields.parents, present.fields.parents);
    if (kept && placed && equalJson(previous.fields.properties, present.fields.properties)) continue;
    for (const source of view.inbound(address)) {
      affected.set(source, address);
      if (view.get(source)?.kind !== 'resource') continue;
      for (const policy of view.inbound(source)) affected.set(policy, address);
    }
    for (const holding of typesAbove(view, [previous, present])) {
      for (const source of view.inbound(holding)) {
        if (!source.startsWith('resource/')) continue;
        for (const policy of view.inbound(source)) if (policy.startsWith('policy/')) affected.set(policy, address);
      }
    }
  }
  return affected;
}

/** The addresses of the types whose resources may hold, at any level, resources of these. */
function typesAbove(view: RecordView, types: readonly DeclaredRecord<'resource_type'>[]): Set<Address> {
  const found = new Set<Address>();
  const open = [...types];
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    for (const parent of type.fields.parents ?? []) {
      const address = `resource_type/${parent.type}`;
      const above = found.has(address) ? undefined : view.get(address);
      found.add(address);
      if (above?.kind === 'resource_type') open.push(above);
    }
  }
  return found;
}

/** Resources visited in one step. */
const STEP = 256;

/**
 * Untouched resources below those that came to lie elsewhere, each with the address of one of these: they may now lie too
 * deep.
 */
export function* affectedByParents(
  view: RecordView,
  touched: Iterable<Address>,
  before: ReadonlyMap<Address, DeclaredRecord>,
): Generator<undefined, Map<Address, Address>> {
  const affected = new Map<Address, Address>();
  let visited = 0;
  for (const cause of touched) {
    const [present, previous] = [view.get(cause), before.get(cause)];
    if (present?.kind !== 'resource' || previous?.kind !== 'resource') continue;
    if (equalJson(present.fields.parents, previous.fields.parents)) continue;
    const open = [cause];
    for (let address = open.pop(); address !== undefined; address = open.pop()) {
      for (const source of view.inbound(address)) {
        if (++visited % STEP === 0) yield;
        if (!source.startsWith('resource/') || affected.has(source)) continue;
        affected.set(source, cause);
        open.push(source);
      }
    }
  }
  return affected;
}

/**
 * Untouched records that are checked against a schema that comes, goes or says something else, each with its address: the
 * subjects of a type, and the conditions that may read of what is declared.
 */
export function* affectedBySchemas(
  view: RecordView,
  touched: Iterable<Address>,
  before: ReadonlyMap<Address, DeclaredRecord>,
): Generator<undefined, Map<Address, Address>> {
  const affected = new Map<Address, Address>();
  const changed = [...new Set([...touched, ...before.keys()])].filter((address) => {
    const [present, previous] = [view.get(address), before.get(address)];
    if (!isSchema(present ?? previous)) return false;
    return present?.address !== previous?.address || !equalJson(schemaOf(present), schemaOf(previous));
  });
  const types = new Map(changed.flatMap((address) => typeOfSubjects(view.get(address), address)));
  const [type, attribute] = ['subject_type/', 'context_attribute/'].map((kind) =>
    changed.find((address) => address.startsWith(kind)),
  );
  let visited = 0;
  for (const address of types.size > 0 ? (view.addresses?.('subject') ?? []) : []) {
    if (++visited % STEP === 0) yield;
    const cause = types.get(address.slice('subject/'.length, address.lastIndexOf('/')));
    if (cause !== undefined) affected.set(address, cause);
  }
  for (const address of changed.length > 0 ? (view.addresses?.('policy') ?? []) : []) {
    if (++visited % STEP === 0) yield;
    const record = view.get(address);
    const condition = record?.kind === 'policy' ? record.fields.condition : undefined;
    const cause =
      (condition?.includes('context') ? attribute : undefined) ?? (condition?.includes('subject') ? type : undefined);
    if (cause !== undefined) affected.set(address, cause);
  }
  return affected;
}

function isSchema(record: DeclaredRecord | undefined): boolean {
  return record?.kind === 'subject_type' || record?.kind === 'context_attribute';
}

function schemaOf(record: DeclaredRecord | undefined): unknown {
  return record?.kind === 'subject_type'
    ? record.fields.properties
    : record?.kind === 'context_attribute'
      ? record.fields.type
      : undefined;
}

/** The type of the subjects that a present schema says something of, as it stands in their addresses. */
function typeOfSubjects(schema: DeclaredRecord | undefined, cause: Address): [string, Address][] {
  const speaks = schema?.kind === 'subject_type' && schema.fields.properties !== undefined;
  return speaks ? [[cause.slice('subject_type/'.length), cause]] : [];
}

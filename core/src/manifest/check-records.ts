import { settler } from '../plan/settle.js';
import { ProblemError } from '../problem.js';
import { type Address, names, path } from '../records/address.js';
import { InboundIndex } from '../records/inbound-index.js';
import { definitionOf, referencesOf } from '../records/registry.js';
import type { RecordView } from '../state/change.js';
import { validateRecords } from '../state/validate.js';
import type { AddressLists } from './address-lists.js';
import type { Declarations } from './declarations.js';
import { type Origin, originText } from './locate.js';
import type { ReadOptions } from './read.js';
import { placeText } from './source.js';

/**
 * Reports what only all records together show, each fault at the place of the field that causes it. A mention of what
 * the `unread` texts may declare is no fault.
 */
export function checkRecords(
  declarations: Declarations,
  lists: AddressLists,
  unread: readonly string[],
  { now, standIns }: Pick<ReadOptions, 'now' | 'standIns'>,
): void {
  const { origins } = declarations;
  const exists = (address: Address) => origins.has(address) || lists.external.has(address) || mayBeIn(unread, address);
  const addresses = [...declarations.valid()].map(({ address }) => address);
  const options = { external: exists, inYaml: true, ...(now !== undefined && { now }) };
  for (const found of validateRecords(viewOf(declarations), addresses, options)) {
    const { address, pointer, offset } = found;
    const origin = origins.get(address);
    if (origin === undefined) continue;
    const about = { label: address, address, pointer };
    const node = declarations.nodeOf(origin, pointer);
    const detail = removalText(declarations, origin, pointer) ?? found.detail;
    if (found.severity === 'warning') origin.document.warning(node, about, detail);
    else if (offset !== undefined && node.type === 'scalar') origin.document.faultWithin(node, offset, about, detail);
    else origin.document.fault(node, about, detail);
  }
  checkNames(declarations, lists);
  checkMoves(declarations, lists, exists);
  checkExternal(declarations, lists, standIns);
}

/** Says where the environment removes what a record mentions there. */
function removalText({ removed }: Declarations, { record }: Origin, pointer: string): string | undefined {
  if (removed.size === 0 || record === undefined) return undefined;
  for (const { pointer: at, target } of referencesOf(record.kind, record.fields)) {
    const place = at === pointer ? removed.get(target) : undefined;
    if (place !== undefined)
      return `${target} is removed at ${placeText(place)}, and is mentioned here: remove or change this there, too.`;
  }
  return undefined;
}

function mayBeIn(unread: readonly string[], address: Address): boolean {
  if (unread.length === 0) return false;
  const name = names(address.slice(address.lastIndexOf('/') + 1))[0] ?? '';
  return unread.some((text) => text.includes(name));
}

/** The declared records by address, with what mentions them, indexed when first asked for. */
function viewOf(declarations: Declarations): RecordView {
  let index: InboundIndex | undefined;
  return {
    get: (address) => declarations.origins.get(address)?.record,
    inbound: (address) => {
      if (index === undefined) {
        index = new InboundIndex();
        for (const record of declarations.valid()) index.add(record);
      }
      return index.of(address);
    },
    *addresses(kind) {
      for (const record of declarations.valid()) if (record.kind === kind) yield record.address;
    },
  };
}

/** Warns of a role or policy of the tenant that is named like the path of an application's. */
function checkNames(declarations: Declarations, lists: AddressLists): void {
  const { origins } = declarations;
  for (const { kind, address, fields } of declarations.sound()) {
    if ((kind !== 'role' && kind !== 'policy') || fields.application !== undefined || !fields.name.includes('/'))
      continue;
    const [application = ''] = fields.name.split('/');
    const owner = `application/${path(application)}`;
    const origin = origins.get(address);
    if (origin === undefined || (!origins.has(owner) && !lists.external.has(owner))) continue;
    const where = `applications.${application}.${definitionOf(kind).yaml}`;
    const text = `the "/" is part of the name: if the application's ${kind} is meant, declare it under ${where}.`;
    origin.document.warning(origin.node, { label: address, address }, text);
  }
}

/** A move must lead to a declared record, or its record would be renamed and then removed; and from one that is gone. */
function checkMoves({ origins }: Declarations, { moves }: AddressLists, exists: (address: Address) => boolean): void {
  const tos = new Set(moves.map(({ to }) => to));
  const froms = new Set(moves.map(({ from }) => from));
  for (const { from, about, document, node } of moves) {
    const origin = origins.get(from);
    if (origin === undefined) continue;
    const again = tos.has(from) ? ', and make the renames one after the other' : '';
    const text = `moves from ${from}, which is still declared at ${originText(origin)}: remove one of the two${again}.`;
    document.fault(node, about, text);
  }
  const isDeclared = (address: Address) => origins.has(address);
  const settle = settler(
    moves.filter(({ from }) => !isDeclared(from)),
    isDeclared,
  );
  for (const { to, about, document, node } of moves) {
    try {
      // In a chain of moves, the last one is at fault.
      if (exists(settle(to)) || froms.has(to)) continue;
      document.fault(node, about, `moves to ${to}, which is not declared: declare it, or remove the move.`);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      document.fault(node, about, error.detail);
    }
  }
}

function checkExternal(declarations: Declarations, lists: AddressLists, standIns: string | undefined): void {
  for (const [address, { about, document, node }] of lists.external) {
    const origin = declarations.origins.get(address);
    if (origin === undefined || origin.document.source.file === standIns) continue;
    document.fault(node, about, `${address} is declared here, at ${originText(origin)}: remove one of the two.`);
  }
}

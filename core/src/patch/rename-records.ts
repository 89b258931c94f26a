import { isMap, isPair, isScalar, type Node, type Pair, type Scalar, visit } from 'yaml';
import { append } from '../collections/append.js';
import { finished } from '../concurrency/time-slicing.js';
import { keyOf } from '../manifest/write.js';
import { type Address, splitAddress } from '../records/address.js';
import { renamedInCondition } from '../records/condition-names.js';
import { type DeclaredRecord, referencesOf, type StoredRecord } from '../records/registry.js';
import { type Move, renames } from '../state/renames.js';
import type { FoundNode } from './document-node.js';

/** A record of a tree before and after a rename; only what is `explicit` is named by it, the others mention it. */
export interface RenamedRecord {
  before: DeclaredRecord;
  after: DeclaredRecord;
  explicit: boolean;
}

/** All declared records that renames change; `refuse` gets what is at fault. */
export function renamedRecords<M extends Move>(
  declared: ReadonlyMap<Address, DeclaredRecord>,
  moves: readonly M[],
  refuse: (move: M, detail: string, address: Address) => void,
): RenamedRecord[] {
  const inbound = new Map<Address, Address[]>();
  for (const { kind, address, fields } of declared.values())
    for (const { target } of referencesOf(kind, fields)) append(inbound, target, address);
  const base = {
    get: (address: Address) => declared.get(address) as StoredRecord | undefined,
    inbound: (address: Address) => inbound.get(address) ?? [],
  };
  return finished(renames(base, moves, refuse)).map(({ previous, address, fields, explicit }) => ({
    before: previous,
    after: { kind: previous.kind, address, fields } as DeclaredRecord,
    explicit,
  }));
}

/**
 * Writes new names in the places of the old ones: the key of what is renamed, and what the entries of the others say in any
 * form. A text that only looks like a name is written, too: whoever calls this reads the files again and compares.
 */
export function renameIn(places: (record: Address) => FoundNode, renamed: readonly RenamedRecord[]): boolean {
  const moved = new Map(renamed.map(({ before, after }) => [before.address, after.address]));
  const words = new Map(renamed.filter(({ before, after }) => before.address !== after.address).flatMap(formsOf));
  // All are found before any has another key.
  const found = renamed.map((record) => ({ ...record, at: places(record.before.address).node }));
  for (const { before, after, explicit, at } of found) {
    if (explicit && !renameKey(at, before, after)) return false;
    if (!explicit) renameWithin(at, words, moved);
  }
  return true;
}

/** How texts name a record, and how they do afterwards. */
function formsOf({ before, after }: RenamedRecord): [string, string][] {
  return [
    [keyOf(before), keyOf(after)],
    [splitAddress(before.address).path, splitAddress(after.address).path],
    [before.address, after.address],
  ];
}

function renameKey(node: Node | Pair, before: DeclaredRecord, after: DeclaredRecord): boolean {
  if (!isPair(node) || !isScalar(node.key)) return false;
  const key = node.key as Scalar;
  for (const underPath of [false, true]) {
    if (key.value !== keyOf(before, underPath)) continue;
    key.value = keyOf(after, underPath);
    return true;
  }
  return false;
}

function renameWithin(
  node: Node | Pair,
  words: ReadonlyMap<string, string>,
  moved: ReadonlyMap<Address, Address>,
): void {
  const rename = (scalar: Scalar) => {
    const now = typeof scalar.value === 'string' ? words.get(scalar.value) : undefined;
    if (now !== undefined) scalar.value = now;
  };
  if (isScalar(node)) rename(node);
  const within = isPair(node) ? node.value : node;
  if (isScalar(within)) rename(within);
  if (!isMap(within)) return;
  visit(within, {
    Pair: (_, { key, value }) => {
      if (isScalar(key) && key.value === 'condition' && isScalar(value))
        value.value = renamedInCondition(String(value.value), moved);
    },
    Scalar: (at, scalar) => {
      if (at !== 'key') rename(scalar);
    },
  });
}

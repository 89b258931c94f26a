import { replaceAt, valueAt } from '../json/json-pointer.js';
import { ProblemError } from '../problem.js';
import { type Address, splitAddress } from '../records/address.js';
import { renamedInCondition } from '../records/condition-names.js';
import { KINDS, kindRank } from '../records/kinds.js';
import { addressOf, type Fields, referencesOf, type StoredRecord } from '../records/registry.js';
import { keyFieldsOf } from './key-fields.js';
import type { BaseView } from './overlay.js';
import { parseFields } from './parse-fields.js';

export interface Move {
  from: Address;
  to: Address;
}

/**
 * The effect of moves on one record. It is named by its `cause` itself if `explicit`; otherwise it follows what it
 * mentions.
 */
export interface Rename<M extends Move = Move> {
  previous: StoredRecord;
  address: Address;
  fields: Fields;
  cause: M;
  explicit: boolean;
}

/** Records that are looked at in one step. */
const STEP = 50;

type Refuse<M extends Move> = (move: M, detail: string, address: Address) => void;

/**
 * Everything that these moves change: the moved records and, kind by kind, those that mention them. All moves happen
 * at once: `from` is where a record stands now, `to` where it stands after all of them, so they can form chains and
 * swaps. Faults (absent, taken, malformed) go to `refuse`, and the record is left out.
 */
export function* renames<M extends Move>(
  base: Pick<BaseView, 'get' | 'inbound'>,
  moves: readonly M[],
  refuse: Refuse<M>,
): Generator<undefined, Rename<M>[]> {
  const requested = movesByAddress(base, moves, refuse);
  const causes = new Map(requested);
  const waiting = KINDS.map(() => new Set<Address>());
  const enqueue = (address: Address) => waiting[kindRank(splitAddress(address).kind)]?.add(address);
  for (const from of requested.keys()) enqueue(from);

  const moved = new Map<Address, Address>();
  const found: Rename<M>[] = [];
  let looked = 0;
  // A kind mentions only kinds before it, so that whatever a record mentions has its new address by now; or its own kind,
  // but never in what makes its address.
  for (const addresses of waiting) {
    const first = found.length;
    for (const address of addresses) {
      if (++looked % STEP === 0) yield;
      const previous = base.get(address);
      const cause = causes.get(address);
      if (!previous || !cause) continue;
      const explicit = requested.has(address);
      const rename = renameOf(previous, moved, explicit ? cause.to : undefined, (detail) =>
        refuse(cause, detail, address),
      );
      if (!rename) continue;
      found.push({ previous, ...rename, cause, explicit });
      if (rename.address === address) continue;
      moved.set(address, rename.address);
      for (const source of base.inbound(address)) {
        if (!causes.has(source)) causes.set(source, cause);
        enqueue(source);
      }
    }
    for (const rename of found.slice(first)) {
      if (++looked % STEP === 0) yield;
      const { previous, cause, explicit } = rename;
      if (!mentionsOwnKind(previous, moved)) continue;
      const again = renameOf(previous, moved, explicit ? cause.to : undefined, () => {});
      if (again) rename.fields = again.fields;
    }
  }
  return withoutCollisions(base, found, moved, refuse);
}

function mentionsOwnKind({ kind, fields }: StoredRecord, moved: ReadonlyMap<Address, Address>): boolean {
  if (kind !== 'resource' && kind !== 'resource_type' && kind !== 'role') return false;
  return referencesOf(kind, fields).some(({ target }) => moved.has(target) && target.startsWith(`${kind}/`));
}

function movesByAddress<M extends Move>(
  base: Pick<BaseView, 'get'>,
  moves: readonly M[],
  refuse: Refuse<M>,
): Map<Address, M> {
  const requested = new Map<Address, M>();
  for (const move of moves) {
    const { from, to } = move;
    if (!base.get(from)) refuse(move, `"${from}" does not exist, so it cannot be moved to "${to}".`, from);
    else if (requested.has(from)) refuse(move, `"${from}" is moved twice: leave one of the moves out.`, from);
    else if (splitAddress(from).kind !== splitAddress(to).kind) {
      refuse(move, `"${from}" cannot become "${to}": a move keeps the kind of the record.`, from);
    } else requested.set(from, move);
  }
  return requested;
}

function renameOf(
  previous: StoredRecord,
  moved: ReadonlyMap<Address, Address>,
  to: Address | undefined,
  refuse: (detail: string) => void,
): { address: Address; fields: Fields } | undefined {
  let wanted: Record<string, unknown> = previous.fields;
  const texts = new Set<string>();
  for (const { pointer, target, offset } of referencesOf(previous.kind, previous.fields)) {
    const now = moved.get(target);
    if (now === undefined) continue;
    if (offset !== undefined) texts.add(pointer);
    else wanted = replaceAt(wanted, pointer, splitAddress(now).path);
  }
  for (const pointer of texts)
    wanted = replaceAt(wanted, pointer, renamedInCondition(String(valueAt(wanted, pointer)), moved));
  try {
    if (to !== undefined) wanted = { ...wanted, ...keyFieldsOf(to) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    refuse(error.detail);
    return undefined;
  }
  const parsed = parseFields(previous.kind, wanted);
  if (parsed.faults) {
    const [fault] = parsed.faults;
    refuse(`"${previous.address}" cannot be renamed: ${fault?.pointer.slice(1)} ${fault?.detail}`);
    return undefined;
  }
  const address = addressOf(previous.kind, parsed.fields);
  if (to !== undefined && address !== to) {
    refuse(`"${to}" is not written as the service writes it: write "${address}".`);
    return undefined;
  }
  return { address, fields: parsed.fields };
}

/** Leaves out, and refuses, records that come to stand where another one stands. */
function withoutCollisions<M extends Move>(
  base: Pick<BaseView, 'get'>,
  found: Rename<M>[],
  moved: ReadonlyMap<Address, Address>,
  refuse: Refuse<M>,
): Rename<M>[] {
  const taken = new Set<Address>();
  return found.filter(({ previous, address, cause }) => {
    const stands = address !== previous.address && base.get(address) !== undefined && !moved.has(address);
    if (stands || taken.has(address)) {
      refuse(cause, `"${previous.address}" cannot become "${address}": there is such a record already.`, address);
      return false;
    }
    taken.add(address);
    return true;
  });
}

import { ProblemError } from '../problem.js';
import { type Address, splitAddress } from '../records/address.js';
import { addressOf, referencesOf } from '../records/registry.js';
import { replaceAt } from '../state/json-pointer.js';
import { keyFieldsOf } from '../state/key-fields.js';
import type { Move } from '../state/renames.js';

/** What the moves of a tree are judged by. */
interface Ground {
  declared(address: Address): boolean;
  exists(address: Address): boolean;
}

/**
 * Where the records of a tenant go by the moves of a tree. A tree keeps its moves as a history, so that tenants that
 * lag behind can follow: a move whose record is gone is over, and a move to a name that is no longer declared goes on
 * with the next one, also by way of a renamed parent. Throws `conflict` where moves contradict each other.
 */
export function settler(moves: readonly Move[], ground: Ground): (address: Address) => Address {
  const next = nextOf(moves);
  const settled = new Map<Address, Address>();

  const settle = (address: Address): Address => {
    const known = settled.get(address);
    if (known !== undefined) return known;
    const way = [address];
    let place = address;
    for (let step = stepFrom(place); step !== undefined && step !== place; ) {
      if (way.includes(step)) throw circle([...way, step]);
      way.push(step);
      place = step;
      step = ground.declared(place) ? undefined : stepFrom(place);
    }
    settled.set(address, place);
    return place;
  };

  const stepFrom = (address: Address): Address | undefined => {
    const to = next.get(address);
    if (to !== undefined && !over(address, to)) return to;
    return withParentsSettled(address, settle);
  };

  /** A name that is declared again, with its move's end in place, stands for a record that was made after the move. */
  const over = (from: Address, to: Address): boolean =>
    ground.declared(from) && ground.exists(to) && (next.get(to) === undefined || over(to, next.get(to) ?? to));

  return settle;
}

/** The moves by where they start. Throws `conflict` on a record that is moved to two places and on moves in a circle. */
function nextOf(moves: readonly Move[]): Map<Address, Address> {
  const next = new Map<Address, Address>();
  for (const { from, to } of moves) {
    const other = next.get(from);
    if (other !== undefined && other !== to) {
      throw conflict(from, `"${from}" is moved both to "${other}" and to "${to}": leave one of the moves out.`);
    }
    if (from !== to) next.set(from, to);
  }
  const checked = new Set<Address>();
  for (const start of next.keys()) {
    const way = new Set<Address>();
    for (let place: Address | undefined = start; place !== undefined && !checked.has(place); place = next.get(place)) {
      if (way.has(place)) throw circle([...way, place]);
      way.add(place);
    }
    for (const place of way) checked.add(place);
  }
  return next;
}

/** The address with the records that its key mentions at their new places. */
function withParentsSettled(address: Address, settle: (address: Address) => Address): Address {
  const { kind } = splitAddress(address);
  let fields: Record<string, unknown> = keyFieldsOf(address);
  let changed = false;
  for (const { pointer, target } of referencesOf(kind, fields)) {
    const place = settle(target);
    if (place === target) continue;
    fields = replaceAt(fields, pointer, splitAddress(place).path);
    changed = true;
  }
  return changed ? addressOf(kind, fields) : address;
}

/** The last step leads back to an earlier one. */
function circle(way: readonly Address[]): ProblemError {
  const last = way.at(-1) ?? '';
  const names = way.slice(way.indexOf(last)).join(' → ');
  return conflict(
    last,
    `The moves go in a circle: ${names}. A tree that is applied twice would move them back: take one of the moves out.`,
  );
}

function conflict(address: Address, detail: string): ProblemError {
  return new ProblemError('conflict', detail, [{ pointer: '', detail, address }]);
}

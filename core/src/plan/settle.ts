import { replaceAt } from '../json/json-pointer.js';
import { ProblemError } from '../problem.js';
import { type Address, splitAddress } from '../records/address.js';
import { addressOf, referencesOf } from '../records/registry.js';
import { keyFieldsOf } from '../state/key-fields.js';
import type { Move } from '../state/renames.js';

/**
 * Returns where the moves of a tree take the records of a tenant. A tree keeps its moves as a history, so that tenants that
 * lag behind can follow: a move to a name that is no longer declared continues with the next one, also through a renamed
 * parent. A declared name is where a record stays, so that a second plan finds nothing to move.
 *
 * Throws `conflict` if moves contradict each other or a declaration.
 */
export function settler(
  moves: readonly Move[],
  isDeclared: (address: Address) => boolean,
): (address: Address) => Address {
  const next = nextOf(moves, isDeclared);
  const settled = new Map<Address, Address>();

  const stepFrom = (address: Address): Address => next.get(address) ?? withParentsSettled(address, settle);

  function settle(address: Address): Address {
    const known = settled.get(address);
    if (known !== undefined) return known;
    const way = [address];
    let place = address;
    while (!isDeclared(place)) {
      const step = stepFrom(place);
      if (step === place) break;
      if (way.includes(step)) throw circle([...way, step]);
      way.push(step);
      place = step;
    }
    settled.set(address, place);
    return place;
  }

  return settle;
}

/** The moves by where they start. */
function nextOf(moves: readonly Move[], isDeclared: (address: Address) => boolean): Map<Address, Address> {
  const next = new Map<Address, Address>();
  for (const { from, to } of moves) {
    if (from === to) continue;
    const other = next.get(from);
    if (other !== undefined && other !== to) {
      throw conflict(from, `"${from}" is moved both to "${other}" and to "${to}": leave one of the moves out.`);
    }
    if (isDeclared(from)) {
      throw conflict(
        from,
        `"${from}" is moved to "${to}" but still declared, so applying this twice would move another record: remove the move or the declaration, or make the renames one after the other.`,
      );
    }
    next.set(from, to);
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
  return conflict(last, `The moves form a circle: ${names}. Remove one of them.`);
}

function conflict(address: Address, detail: string): ProblemError {
  return new ProblemError('conflict', detail, [{ pointer: '', detail, address }]);
}

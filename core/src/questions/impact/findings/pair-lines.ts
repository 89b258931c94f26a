import { OTHER_ACTION, type TypeUniverse } from '../../../access/delta/column-groups.js';
import type { ComparedCell } from '../../../access/delta/compare-columns.js';
import { append } from '../../../collections/append.js';
import type { Path } from '../../../records/address.js';
import type { PairLine } from '../api/access-delta.js';

/** The recorded triples whose answer changes, in the order of subject, resource and action. */
export function* pairLines(
  cells: readonly ComparedCell[],
  universe: (type: Path) => TypeUniverse,
): Generator<PairLine, void> {
  const bySubject = new Map<string, ComparedCell[]>();
  for (const cell of cells) {
    if (cell.triple === undefined || cell.block.one.kind !== 'recorded' || cell.group.recorded === 0) continue;
    for (const { path } of cell.block.members) {
      append(bySubject, path, cell);
    }
  }
  for (const subject of [...bySubject.keys()].sort()) {
    const lines: PairLine[] = [];
    for (const { group, triple } of bySubject.get(subject) ?? [])
      for (const { unit, action } of group.cells) {
        if (unit.place !== 'record' || action === OTHER_ACTION || !universe(unit.type).actions.has(action)) continue;
        if (triple !== undefined) lines.push({ subject, action, resource: unit.key, ...triple });
      }
    yield* lines.sort((left, right) => order(left.resource, right.resource) || order(left.action, right.action));
  }
}

function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

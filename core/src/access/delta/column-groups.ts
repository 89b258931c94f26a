import type { Path } from '../../records/address.js';
import type { ResourceUnit } from '../universe/resource-places.js';
import type { ChangeScope } from './change-scope.js';
import type { Column, Columns } from './columns.js';

export interface UnitAction {
  readonly unit: ResourceUnit;
  readonly action: string;
}

/** Resources and actions for which everybody has the same candidates, in each of the two states. */
export interface ColumnGroup {
  readonly before: Column;
  readonly after: Column;
  readonly cells: readonly UnitAction[];
  /** The number of those of `cells` that are of recorded triples. */
  readonly recorded: number;
}

/** The facts about a type in both states. */
export interface TypeUniverse {
  /** Declared in either state. */
  readonly actions: ReadonlySet<string>;
  /** Also those that a policy names. */
  readonly named: ReadonlySet<string>;
  /** The names of the resources recorded in either state. */
  names(): Iterable<string>;
  /** How many these are. */
  readonly recorded: number;
}

/** Stands for every action that no type declares and no policy names. */
export const OTHER_ACTION = '\u0000';

/** The units and actions of a scope. */
export function* unitsOf(
  scope: ChangeScope,
  universe: (type: Path) => TypeUniverse,
): Generator<readonly [ResourceUnit, readonly string[]], void> {
  for (const type of scope.types()) {
    const { actions, named, names } = universe(type);
    const every = [...new Set([...actions, ...named])].sort();
    every.push(OTHER_ACTION);
    const expanded = new Map<ReadonlySet<string>, readonly string[]>();
    for (const [unit, touched] of scope.units(type, names())) {
      let wanted = expanded.get(touched);
      if (wanted === undefined) {
        wanted = touched.has('*') ? every : [...touched].sort();
        expanded.set(touched, wanted);
      }
      yield [unit, wanted];
    }
  }
}

/** The columns of all units and actions of a scope in one state, in their order. */
export function columnsOf(
  columns: Columns,
  units: readonly (readonly [ResourceUnit, readonly string[]])[],
): readonly Column[][] {
  const found: Column[][] = [];
  for (const [unit, actions] of units) {
    found.push([...columns.of(unit, actions)]);
  }
  return found;
}

/** Joins units and actions whose columns are the same in both states. */
export function grouped(
  units: readonly (readonly [ResourceUnit, readonly string[]])[],
  before: readonly (readonly Column[])[],
  after: readonly (readonly Column[])[],
  universe: (type: Path) => TypeUniverse,
): ColumnGroup[] {
  const groups = new Map<string, { before: Column; after: Column; cells: UnitAction[]; recorded: number }>();
  for (const [at, [unit, actions]] of units.entries()) {
    const declared = universe(unit.type).actions;
    for (const [index, action] of actions.entries()) {
      const [old, now] = [before[at]?.[index], after[at]?.[index]] as [Column, Column];
      const key = `${old.id} ${now.id}`;
      let group = groups.get(key);
      if (group === undefined) {
        group = { before: old, after: now, cells: [], recorded: 0 };
        groups.set(key, group);
      }
      group.cells.push({ unit, action });
      if (unit.place === 'record' && declared.has(action)) group.recorded++;
    }
  }
  return [...groups.values()];
}

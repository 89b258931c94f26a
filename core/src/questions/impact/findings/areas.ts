import type { ColumnGroup, UnitAction } from '../../../access/delta/column-groups.js';
import type { ResourceUnit } from '../../../access/universe/resource-places.js';
import { append } from '../../../collections/append.js';

/** Names of actions for a unit: equal keys are named alike, and `declared` ones make triples. */
export interface ActionNaming {
  key(unit: ResourceUnit, actions: readonly string[]): string;
  declared(cell: UnitAction): boolean;
}

export interface AreaCell {
  readonly cell: UnitAction;
  readonly group: ColumnGroup;
}

/** Resources with the actions that all of them have in some column groups. */
export interface Area {
  readonly units: readonly ResourceUnit[];
  readonly actions: readonly string[];
  /** By unit. */
  readonly cells: readonly AreaCell[];
  /** By each group of the cells, how many of these are of recorded triples. */
  readonly triplesOf: ReadonlyMap<ColumnGroup, number>;
}

/** Factors column groups, the same ones once: much may be said of all resources of a large type. */
export class Areas {
  readonly #numbers = new Map<ColumnGroup, number>();
  readonly #known = new Map<string, readonly Area[]>();

  constructor(private readonly naming: ActionNaming) {}

  of(groups: readonly ColumnGroup[]): readonly Area[] {
    const key = groups.map((group) => this.#numberOf(group)).join(' ');
    let areas = this.#known.get(key);
    if (areas === undefined) {
      areas = this.#factored(groups);
      this.#known.set(key, areas);
    }
    return areas;
  }

  #numberOf(group: ColumnGroup): number {
    let number = this.#numbers.get(group);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(group, number);
    }
    return number;
  }

  #factored(groups: readonly ColumnGroup[]): Area[] {
    const byUnit = new Map<string, [AreaCell, ...AreaCell[]]>();
    for (const group of groups)
      for (const cell of group.cells) {
        append(byUnit, cell.unit.key, { cell, group });
      }
    const byActions = new Map<string, [AreaCell, ...AreaCell[]][]>();
    for (const cells of byUnit.values()) {
      const { unit } = cells[0].cell;
      const key = this.naming.key(
        unit,
        cells.map(({ cell }) => cell.action),
      );
      append(byActions, key, cells);
    }
    return [...byActions.values()].map((ofUnits) => this.#areaOf(ofUnits));
  }

  #areaOf(ofUnits: readonly [AreaCell, ...AreaCell[]][]): Area {
    const cells = ofUnits.flat();
    const triplesOf = new Map<ColumnGroup, number>();
    for (const { cell, group } of cells) {
      const isTriple = cell.unit.place === 'record' && this.naming.declared(cell);
      triplesOf.set(group, (triplesOf.get(group) ?? 0) + (isTriple ? 1 : 0));
    }
    return {
      units: ofUnits.map(([{ cell }]) => cell.unit),
      actions: ofUnits[0]?.map(({ cell }) => cell.action) ?? [],
      cells,
      triplesOf,
    };
  }
}

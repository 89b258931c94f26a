import type { Resource, ResourceType } from '../../access/grants/target.js';
import { itemsOf } from '../../access/graph/few-or-many.js';
import { hierarchyNodeOf } from '../../access/graph/hierarchy-node.js';
import type { Whereabouts } from '../../access/graph/whereabouts.js';
import { remembered } from '../../collections/remembered.js';
import type { RowColumns } from './row-columns.js';
import { ALWAYS, type ColumnName, inSet, NEVER, or, type RowCondition } from './row-condition.js';
import { oneOf } from './value-set.js';

/** The rows to which a policy or role leads because of where they lie. */
export interface Placement {
  /** The recorded resources among them; all where it is undefined. */
  readonly recorded: ReadonlySet<Resource> | undefined;
  /** The others. */
  readonly others: RowCondition;
  /** Whether the others may lie there all the same, since nobody says where they lie. */
  readonly unsaid: boolean;
}

/** Collects resources, by themselves or with all that lies below them. */
export class PlacementBuilder {
  readonly #recorded = new Set<Resource>();
  readonly #parents = new Map<ColumnName, Set<string>>();
  #fixed = false;
  #unsaid = false;

  constructor(
    private readonly type: ResourceType,
    private readonly columns: RowColumns,
    /** The parents that the request names for all rows, with what they lie in. */
    private readonly fixed: ReadonlySet<Resource>,
    private readonly unknown: Whereabouts['unknown'],
  ) {}

  add(resource: Resource): void {
    if (resource.type === this.type && resource.id !== undefined) this.#recorded.add(resource);
  }

  addBelow(top: Resource): void {
    this.#unsaid ||= this.unknown?.has(top.type) === true;
    this.#enter(top);
    const children = hierarchyNodeOf(top)?.children ?? null;
    if (children === null) return;
    const below = new Set(itemsOf(children));
    for (const place of below) {
      this.#enter(place);
      for (const child of itemsOf(hierarchyNodeOf(place)?.children ?? null)) below.add(child);
    }
  }

  #enter(place: Resource): void {
    this.add(place);
    this.#fixed ||= this.fixed.has(place);
    for (const { column, parent } of this.columns.parents)
      if (parent.type === place.type) remembered(this.#parents, column, () => new Set()).add(place.name);
  }

  get placement(): Placement {
    const parents = [...this.#parents].map(([column, names]) => inSet(column, oneOf(names)));
    return { recorded: this.#recorded, others: this.#fixed ? ALWAYS : or(parents), unsaid: this.#unsaid };
  }
}

/** Nowhere. */
export const NO_PLACEMENT: Placement = { recorded: new Set(), others: NEVER, unsaid: false };

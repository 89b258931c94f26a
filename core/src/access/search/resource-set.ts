import { SplitTable } from '../../collections/split-table.js';
import type { Resource } from '../grants/target.js';
import { itemsOf } from '../graph/few-or-many.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';

const STEP = 256;

/** A set of resources, given one by one or with all that lies below, that need not be gone through to be asked. */
export class CandidateSet {
  readonly #single = new SplitTable<Resource, true>();
  readonly #tops = new SplitTable<Resource, true>();
  /** Whether resources that hold others lie below a top, or are one. */
  #known = new SplitTable<Resource, boolean>();

  add(resource: Resource): void {
    this.#single.set(resource, true);
  }

  addBelow(resource: Resource): void {
    this.#tops.set(resource, true);
    if (this.#known.size > 0) this.#known = new SplitTable();
  }

  has(resource: Resource): boolean {
    return this.#single.has(resource) || this.#covers(resource);
  }

  #covers(resource: Resource): boolean {
    const place = hierarchyNodeOf(resource);
    const known = place?.children == null ? undefined : this.#known.get(resource);
    if (known !== undefined) return known;
    const covers = this.#tops.has(resource) || (place?.parents.some((parent) => this.#covers(parent)) ?? false);
    if (place?.children != null) this.#known.set(resource, covers);
    return covers;
  }

  /** How much memory it takes, in resources. */
  get weight(): number {
    return this.#single.size + this.#tops.size;
  }

  /** Its resources for which `counts` is true; undefined where there are more than `max`. */
  *items(max: number, counts: (resource: Resource) => boolean): Generator<undefined, Iterable<Resource> | undefined> {
    const found = new SplitTable<Resource, true>();
    const entered = new SplitTable<Resource, true>();
    const open: Resource[] = [];
    const enter = (resource: Resource) => {
      if (counts(resource)) found.set(resource, true);
      if (hierarchyNodeOf(resource)?.children == null || entered.has(resource)) return;
      entered.set(resource, true);
      open.push(resource);
    };
    let worked = 0;
    for (const resource of this.#single.keys()) {
      if (++worked % STEP === 0) yield;
      if (counts(resource)) found.set(resource, true);
    }
    for (const top of this.#tops.keys()) {
      if (++worked % STEP === 0) yield;
      enter(top);
    }
    for (let next = open.pop(); next !== undefined && found.size <= max; next = open.pop()) {
      for (const child of itemsOf(hierarchyNodeOf(next)?.children ?? null)) {
        if (++worked % STEP === 0) yield;
        enter(child);
      }
    }
    return found.size > max ? undefined : found.keys();
  }
}

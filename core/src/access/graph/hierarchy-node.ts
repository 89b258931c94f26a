import { Below, type Resource } from '../grants/target.js';
import type { FewOrMany } from './few-or-many.js';
import type { Holders } from './holders.js';

const NO_PARENTS: readonly Resource[] = [];

/** A resource's part in a hierarchy: what it lies in, what lies in it, and what counts from it downwards. */
export class HierarchyNode {
  parents: readonly Resource[] = NO_PARENTS;
  children: FewOrMany<Resource> = null;
  /** Those who hold roles on the resource. */
  holders: Holders = null;
  /** Set where policies cover the resource and all below it. */
  below: Below | null = null;

  get empty(): boolean {
    return this.parents.length === 0 && this.children === null && this.holders === null && this.below === null;
  }
}

export function hierarchyNodeOf(resource: Resource): HierarchyNode | null {
  return resource.place as HierarchyNode | null;
}

/** Changes a resource's place, which is made before where there is none and goes where nothing is left of it. */
export function changePlace(resource: Resource, change: (place: HierarchyNode) => void): void {
  const place = hierarchyNodeOf(resource) ?? new HierarchyNode();
  change(place);
  const changed = place.empty ? null : place;
  resource.type.places += Number(changed !== null) - Number(resource.place !== null);
  resource.place = changed;
}

/** The target that stands for a resource and all below it; `releaseBelow` gives it back. */
export function takeBelow(resource: Resource): Below {
  let taken: Below | null = null;
  changePlace(resource, (place) => {
    place.below ??= new Below(resource);
    place.below.rules++;
    taken = place.below;
  });
  return taken ?? new Below(resource);
}

export function releaseBelow(below: Below): void {
  below.rules--;
  if (below.rules > 0) return;
  changePlace(below.resource, (place) => {
    place.below = null;
  });
}

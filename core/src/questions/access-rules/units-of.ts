import { remembered } from '../../collections/remembered.js';
import { eachInSteps } from '../../concurrency/time-slicing.js';
import { type Path, typeOfResource } from '../../records/address.js';
import type { AccessSide } from './access-side.js';
import { mentioning } from './access-view.js';
import { tellsResourcesApart } from './reads-change.js';
import { type JudgedResource, recordedUnit, unrecordedUnit } from './resource-places.js';
import type { RuleClaim } from './rule-claim.js';
import type { TouchedAccess } from './touched.js';

const STEP = 200;

/**
 * The resources that rules are judged on. One without a record stands for every recorded one of its type that no policy and
 * no place names: requests may say all of it that is recorded of another, but its name and where it lies. Those that are
 * named are judged by themselves, and so are all of a type where a condition may tell them apart by either.
 */
export class ResourceUnits {
  /** The resources that policies name and roles are held on, by their type, and those with all below them. */
  #singled: { byType: Map<Path, Set<Path>>; places: Set<Path> } | undefined;

  readonly #belowOf = new Map<Path, readonly JudgedResource[]>();
  readonly #inside = new Map<Path, ReadonlySet<Path>>();
  readonly #belowType = new Map<Path, ReadonlySet<Path>>();
  readonly #toldApart = new Map<Path, boolean>();

  constructor(private readonly sides: readonly AccessSide[]) {}

  /** The units that a touch may change and of which a rule speaks; each once. */
  *of(claim: RuleClaim, touch: TouchedAccess | undefined): Generator<JudgedResource | undefined, void> {
    const seen = new Set<string>();
    let steps = 0;
    for (const unit of this.#all(claim, touch)) {
      if (unit === undefined || ++steps % STEP === 0) yield undefined;
      if (unit === undefined || seen.has(unit.key)) continue;
      seen.add(unit.key);
      const isMeant = (side: AccessSide) =>
        side.formsOf(unit).some((form) => claim.means(form, side.locate(form).places));
      if (this.sides.some(isMeant)) yield unit;
    }
  }

  *#all(claim: RuleClaim, touch: TouchedAccess | undefined): Generator<JudgedResource | undefined> {
    if (touch?.resource !== undefined) {
      yield* yield* this.belowAll(touch.resource);
      return;
    }
    const types = new Set<Path>(touch === undefined || touch.policies === undefined ? this.#types(claim, touch) : []);
    const roots = new Set<Path>();
    for (const { fields } of touch?.policies ?? []) {
      const { resource_type, resource_types = [], resources, application } = fields;
      if (resource_type !== undefined) types.add(resource_type);
      for (const type of resource_types) if (type !== '*') types.add(type);
      if (resource_types.includes('*')) for (const type of this.#typesOf(application ?? '')) types.add(type);
      for (const { resource, below } of resources ?? []) {
        if (below) roots.add(resource);
        else yield recordedUnit(resource);
      }
    }
    for (const type of types) if (claim.mayMean(type)) yield* this.#ofType(type, claim);
    for (const root of roots) yield* yield* this.belowAll(root);
  }

  *#ofType(type: Path, claim: RuleClaim): Generator<JudgedResource | undefined> {
    const declared = this.sides.flatMap((side) => side.parentsOf(type));
    const above = new Set(declared.map((parent) => parent.type));
    yield unrecordedUnit(type, 'nowhere');
    if (above.size > 0) yield unrecordedUnit(type, 'unsaid');
    const { byType, places } = this.#single();
    for (const path of byType.get(type) ?? []) yield recordedUnit(path);
    for (const path of claim.named) if (typeOfResource(path) === type) yield recordedUnit(path);
    const saying = new Set(declared.map(({ property }) => property));
    if (claim.guards.some((guard) => tellsResourcesApart(guard, saying)) || this.#tellsApart(type, saying)) {
      yield* this.recorded(type);
      for (const parent of above)
        for (const { path } of this.recorded(parent))
          if (path !== undefined) yield unrecordedUnit(type, { below: [path] });
    }
    if (above.size === 0) return;
    for (const place of new Set([...places, ...(claim.below ? claim.named : [])]))
      if (typeOfResource(place) === type || this.#typesBelow(typeOfResource(place)).has(type))
        for (const unit of yield* this.belowAll(place)) if (unit.type === type) yield unit;
  }

  /** Whether a condition of a policy on all resources of a type may tell them apart by name or place. */
  #tellsApart(type: Path, saying: ReadonlySet<string>): boolean {
    return remembered(this.#toldApart, type, () =>
      this.sides.some((side) => side.policies.guardsOn(type).some((guard) => tellsResourcesApart(guard, saying))),
    );
  }

  /** Those with a record, in either state. */
  *recorded(type: Path): Generator<JudgedResource> {
    for (const side of this.sides)
      for (const { address } of mentioning(side.view, `resource_type/${type}`, 'resource')) {
        const path = address.slice('resource/'.length);
        if (typeOfResource(path) === type) yield recordedUnit(path);
      }
  }

  /** The results of `#below`, kept for the next rule. */
  *belowAll(root: Path): Generator<undefined, readonly JudgedResource[]> {
    const known = this.#belowOf.get(root);
    if (known !== undefined) return known;
    const found: JudgedResource[] = [];
    yield* eachInSteps(this.#below(root), STEP, (unit) => {
      found.push(unit);
    });
    this.#belowOf.set(root, found);
    return found;
  }

  /** A resource, all below it, what has no record there, and what may lie there for all that is said. */
  *#below(root: Path): Generator<JudgedResource> {
    for (const type of this.#typesBelow(typeOfResource(root))) yield unrecordedUnit(type, 'unsaid');
    const seen = new Set([root]);
    for (const path of seen) {
      yield recordedUnit(path);
      for (const type of this.#typesIn(typeOfResource(path))) yield unrecordedUnit(type, { below: [path] });
      for (const side of this.sides)
        for (const { address, fields } of mentioning(side.view, `resource/${path}`, 'resource'))
          if (fields.parents?.includes(path)) seen.add(address.slice('resource/'.length));
    }
  }

  /** The types of which resources may lie right in one of this type. */
  #typesIn(type: Path): ReadonlySet<Path> {
    return remembered(this.#inside, type, () => {
      const found = new Set<Path>();
      for (const side of this.sides)
        for (const { address, fields } of mentioning(side.view, `resource_type/${type}`, 'resource_type'))
          if (fields.parents?.some((parent) => parent.type === type)) found.add(address.slice('resource_type/'.length));
      return found;
    });
  }

  #typesBelow(type: Path): ReadonlySet<Path> {
    return remembered(this.#belowType, type, () => {
      const below = new Set(this.#typesIn(type));
      for (const one of below) for (const more of this.#typesIn(one)) below.add(more);
      return below;
    });
  }

  #types(claim: RuleClaim, touch: TouchedAccess | undefined): Set<Path> {
    if (touch !== undefined && touch.types.size > 0) return new Set(touch.types);
    const types = new Set([...claim.named].map(typeOfResource));
    for (const side of this.sides)
      for (const address of side.view.addresses('resource_type')) {
        const type = address.slice('resource_type/'.length);
        if (claim.meansType(type) || claim.below) types.add(type);
      }
    return types;
  }

  *#typesOf(application: Path): Generator<Path> {
    for (const side of this.sides)
      for (const { address } of mentioning(side.view, `application/${application}`, 'resource_type'))
        yield address.slice('resource_type/'.length);
  }

  #single(): { byType: ReadonlyMap<Path, ReadonlySet<Path>>; places: ReadonlySet<Path> } {
    if (this.#singled === undefined) {
      const byType = new Map<Path, Set<Path>>();
      const places = new Set<Path>();
      const add = (path: Path, withBelow: boolean) => {
        remembered(byType, typeOfResource(path), () => new Set()).add(path);
        if (withBelow) places.add(path);
      };
      for (const { policies, view } of this.sides) {
        for (const path of policies.named())
          add(
            path,
            policies.entriesOf(path).some(({ below }) => below),
          );
        for (const address of view.mentionedBy('role_assignment', 'resource'))
          add(address.slice('resource/'.length), true);
      }
      this.#singled = { byType, places };
    }
    return this.#singled;
  }
}

import { remembered } from '../../collections/remembered.js';
import { type Address, type Path, typeOfResource } from '../../records/address.js';
import type { AccessSide } from './access-side.js';
import { recordAt } from './access-view.js';
import { policyPath } from './covering-policies.js';
import type { ParentProperty } from './parent-values.js';
import { type JudgedResource, typesAbove, unrecordedUnit, withAncestors } from './resource-places.js';
import type { RuleClaim } from './rule-claim.js';
import type { RuleInputs } from './rule-inputs.js';
import type { Closures } from './subject-classes.js';
import type { TouchedAccess } from './touched.js';
import type { ResourceUnits } from './units-of.js';

/** Who acts as what on each side, and what the conditions in question ask. */
export interface JudgedSubject extends RuleInputs {
  readonly closures: Closures;
}

/** A place that a policy covers with all below it, and whom the policy is assigned to. */
interface CoveredPlace {
  readonly place: Path;
  readonly principals: readonly Address[];
}

const ANCESTORS_MAX = 256;
/** The most sets that are tried of one type and one subject. They are counted, so that every machine says the same. */
const SETS_MAX = 600;
const ALL_SETS_MAX = 20_000;
/** The most resources that are told apart by what they lie in. */
const STEPS_MAX = 2_000;
const STEP = 50;

/**
 * The resources without a record that requests may say to lie in several parents, or of which they say one and not another.
 * Parents count as alike that lie in the same of the places where something is given to the subject, or of which the rule
 * speaks. All sets of these are looked at; if they are too many, one resource that may lie anywhere, of which nothing is proved.
 */
export class SeveralParents {
  #parents: ReadonlyMap<Path, readonly ParentProperty[]> | undefined;
  readonly #covered = new Map<AccessSide, readonly CoveredPlace[]>();
  readonly #above = new Map<string, ReadonlySet<Path>>();
  #tried = 0;

  constructor(
    private readonly sides: { readonly before: AccessSide; readonly after: AccessSide },
    private readonly units: ResourceUnits,
  ) {}

  /** For each type that a rule may mean and whose resources may lie in several others, one that stands for all. */
  *typesOf(claim: RuleClaim, touch: TouchedAccess | undefined): Generator<JudgedResource> {
    for (const type of this.#declared().keys()) {
      if (!claim.meansType(type) && !(claim.below && this.#mayLieBelow(type, claim.named))) continue;
      if (touch !== undefined && touch.types.size > 0 && !touch.types.has(type)) continue;
      if (touch?.resource !== undefined && !this.#mayLieBelow(type, [touch.resource])) continue;
      const resource = touch?.resource;
      yield unrecordedUnit(type, { below: resource === undefined ? [] : [resource], others: true });
    }
  }

  /** The resources of the type of `anywhere` in which places together may make another difference to a subject than each alone. */
  *of(
    anywhere: JudgedResource,
    claim: RuleClaim,
    touch: TouchedAccess | undefined,
    situation: JudgedSubject,
  ): Generator<JudgedResource | undefined, void> {
    const { type } = anywhere;
    const declared = this.#declared().get(type) ?? [];
    const places = this.#placesOf(type, claim, touch, situation);
    const partly = situation.denies || situation.ancestors || situation.asksRoles;
    if (!situation.ancestors && (places.size === 0 || (places.size === 1 && !partly))) return;
    const parents = situation.ancestors ? this.#every(declared) : yield* this.#alike(declared, places);
    const choices = declared.map(({ type: above }) => [
      null,
      ...(parents ?? []).filter((parent) => typeOfResource(parent) === above),
      ...(partly ? [undefined] : []),
    ]);
    const count = choices.reduce((product, { length }) => product * length, 1);
    if (parents === undefined || count > SETS_MAX || this.#tried > ALL_SETS_MAX) {
      yield anywhere;
      return;
    }
    const seen = new Set<string>();
    for (const chosen of allOf(choices)) {
      if (++this.#tried % STEP === 0) yield undefined;
      const below = [...new Set(chosen.filter((parent) => typeof parent === 'string'))].sort();
      const unsaid = declared.flatMap(({ property }, at) => (chosen[at] === undefined ? [property] : []));
      const unit = unrecordedUnit(type, { below, ...(unsaid.length > 0 && { unsaid }) });
      const isAlone = unsaid.length === 0 ? below.length < 2 : unsaid.length === declared.length;
      if (isAlone || seen.has(unit.key) || !this.#isTouched(below, touch)) continue;
      seen.add(unit.key);
      if (this.#ancestors(below) <= ANCESTORS_MAX) yield unit;
    }
  }

  #declared(): ReadonlyMap<Path, readonly ParentProperty[]> {
    if (this.#parents === undefined) {
      const found = new Map<Path, ParentProperty[]>();
      // Where both states declare a type, requests are asked as they are after.
      for (const side of [this.sides.before, this.sides.after])
        for (const address of side.view.addresses('resource_type')) {
          const path = address.slice('resource_type/'.length);
          const parents = side.parentsOf(path);
          if (parents.length > 1) found.set(path, [...parents]);
          else found.delete(path);
        }
      this.#parents = found;
    }
    return this.#parents;
  }

  #mayLieBelow(type: Path, places: Iterable<Path>): boolean {
    const { before, after } = this.sides;
    const types = remembered(
      this.#above,
      `type ${type}`,
      () => new Set([...typesAbove(before.view, type), ...typesAbove(after.view, type)]),
    );
    for (const place of places) if (types.has(typeOfResource(place))) return true;
    return false;
  }

  /** Returns the places where something is given to a subject, or of which a rule or a touch speaks. */
  #placesOf(
    type: Path,
    claim: RuleClaim,
    touch: TouchedAccess | undefined,
    situation: JudgedSubject,
  ): ReadonlySet<Path> {
    const { closures, principals } = situation;
    const found = new Set<Path>(claim.below ? claim.named : []);
    if (touch?.resource !== undefined) found.add(touch.resource);
    for (const which of ['before', 'after'] as const) {
      const [side, closure] = [this.sides[which], closures[which]];
      for (const [principal, holdings] of closure.shared)
        if (principals.has(principal)) for (const { place } of holdings) if (place !== undefined) found.add(place);
      const reaches = (principal: Address) =>
        closure.get(principal).length > 0 ||
        (principal.startsWith('role/') && side.closures.naming(principal.slice('role/'.length)).length > 0);
      for (const { place, principals: assigned } of this.#coveredBy(side))
        if (!found.has(place) && assigned.some(reaches)) found.add(place);
    }
    for (const place of found) if (!this.#mayLieBelow(type, [place])) found.delete(place);
    return found;
  }

  #coveredBy(side: AccessSide): readonly CoveredPlace[] {
    return remembered(this.#covered, side, () =>
      [...side.policies.named()].flatMap((place) =>
        side.policies
          .entriesOf(place)
          .filter(({ below }) => below)
          .map(({ policy }) => ({
            place,
            principals: side.policies.assigneesOf(policyPath(policy)).map(({ principal }) => principal),
          })),
      ),
    );
  }

  /** All possible parents; undefined if these are too many. */
  #every(declared: readonly ParentProperty[]): Path[] | undefined {
    const found = new Set<Path>();
    for (const { type } of declared)
      for (const { path } of this.units.recorded(type)) {
        if (path !== undefined && this.#isSaid(path)) found.add(path);
        if (found.size > SETS_MAX) return undefined;
      }
    return [...found].sort();
  }

  /** One parent for each set of places that parents lie in; undefined if too many are to be told apart. */
  *#alike(declared: readonly ParentProperty[], places: ReadonlySet<Path>): Generator<undefined, Path[] | undefined> {
    const types = new Set(declared.map(({ type }) => type));
    const classes = new Map<string, Path>();
    // What lies in the place that holds most, and in no other, is one class: it need not be looked at one by one.
    const below: (readonly JudgedResource[])[] = [];
    for (const place of places) below.push(yield* this.units.belowAll(place));
    below.sort((left, right) => left.length - right.length);
    let steps = 0;
    for (const [at, all] of below.entries()) {
      let alone = 0;
      for (const { path } of all) {
        if (path === undefined || !types.has(typeOfResource(path)) || !this.#isSaid(path)) continue;
        if (++steps > STEPS_MAX) {
          if (at === below.length - 1 && alone > 0) break;
          return undefined;
        }
        const both = [this.sides.before, this.sides.after].map((side) =>
          [...this.#placesAbove(side, path)].filter((place) => places.has(place)).sort(),
        );
        if (both.every((found) => found.length < 2)) alone++;
        const key = `${declared.length > 1 ? typeOfResource(path) : ''}\n${both.map((one) => one.join('//')).join('\n')}`;
        if (!classes.has(key)) classes.set(key, path);
      }
    }
    return [...classes.values()].sort();
  }

  /** Requests name what is recorded after. */
  #isSaid(path: Path): boolean {
    return recordAt(this.sides.after.view, 'resource', path) !== undefined;
  }

  #placesAbove(side: AccessSide, path: Path): ReadonlySet<Path> {
    const name = side === this.sides.after ? 'after' : 'before';
    return remembered(this.#above, `${name} ${path}`, () => withAncestors(side.view, path));
  }

  #isTouched(below: readonly Path[], touch: TouchedAccess | undefined): boolean {
    const place = touch?.resource;
    if (place === undefined) return true;
    const { before, after } = this.sides;
    return below.some((path) => [before, after].some((side) => this.#placesAbove(side, path).has(place)));
  }

  #ancestors(below: readonly Path[]): number {
    return new Set(below.flatMap((path) => [...this.#placesAbove(this.sides.after, path)])).size;
  }
}

/** All ways to take one item of each list. */
function* allOf<T>([first, ...others]: readonly (readonly T[])[]): Generator<T[]> {
  if (first === undefined) yield [];
  else for (const item of first) for (const rest of allOf(others)) yield [item, ...rest];
}

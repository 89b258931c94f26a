import type { Path } from '../../records/address.js';
import { typeOfResource } from '../../records/address.js';
import type { BelowPlace } from '../universe/resource-places.js';
import type { ChangeScope } from './change-scope.js';
import type { Effect, PlaceEffects } from './place-effects.js';

/** Whether some subject may act as both principals. */
type Share = (first: number, second: number) => boolean;

/** Parents that no place tells apart in either state, as one of them. */
interface ParentClass {
  readonly below: readonly Path[];
  readonly named: readonly Path[];
  /** The places of either state. */
  readonly places: ReadonlySet<Path>;
}

/** Parents, or a property that is not sent, with those whom what they give or deny concerns. */
interface ParentChoice {
  readonly below: readonly Path[];
  readonly named: readonly Path[];
  readonly unsaid?: string;
  readonly allowed: ReadonlySet<number>;
  readonly denied: ReadonlySet<number>;
  /** Whether a condition there asks what else a resource lies below. */
  readonly asks: boolean;
  /** The actions that changes touch there. */
  readonly touched: ReadonlySet<string>;
}

/** The most combinations that are tried. */
const TRIED_MAX = 2_000_000;
const NO_ACTIONS: ReadonlySet<string> = new Set();

/**
 * Marks in a scope the resources without a record that lie below several parents, where these make another difference
 * together than each alone. A request is allowed by one way in which no DENY that applies stops it, so what it needs to be
 * allowed in one state only is that way and, in the other state, one DENY: a parent for each, or, where a role and
 * what its policy covers are in two places, two. A DENY may also be there because nobody says where else the resource
 * lies. Conditions that ask what a resource lies below see whatever else it lies below.
 */
export class ParentCombinations {
  readonly #classes = new Map<Path, ReadonlyMap<string, ParentClass>>();
  readonly #shared = new Map<string, boolean>();
  #tried = 0;

  constructor(
    private readonly scope: ChangeScope,
    private readonly sides: readonly [PlaceEffects, PlaceEffects],
    /** The paths of resources that both states have, but not alike, and of those that one of them has not. */
    private readonly changed: { readonly both: ReadonlySet<Path>; readonly oneSided: ReadonlySet<Path> },
    private readonly share: Share,
  ) {}

  mark(): void {
    if (!this.sides.some(({ together }) => together)) return;
    for (const type of [...this.scope.types()]) {
      if (this.#parentsOf(type).length > 1) this.#type(type);
    }
    if (this.#tried > TRIED_MAX) this.scope.cut();
  }

  #parentsOf(type: Path) {
    const all = this.sides.flatMap(({ parents }) => parents.get(type) ?? []);
    return all.filter((one, at) => at === all.findIndex((other) => other.property === one.property));
  }

  #type(type: Path): void {
    const ways = this.#ways(type);
    const crossed = this.#crossed(type, ways);
    const all = [...ways.map(({ way }) => way), ...crossed];
    const unsaid = this.#unsaidWays(type);
    for (const way of crossed) this.#add(type, [way]);
    // A DENY may be there for want of one property, while what another one would bring is not.
    for (const { unsaid: property = '', denied, touched } of unsaid)
      if (denied.size > 0 && touched.size > 0) this.scope.addPlace(type, { below: [], unsaid: property }, touched);
    const denying = [...all, ...unsaid].filter(({ denied }) => denied.size > 0);
    const allowing = all.filter(({ allowed }) => allowed.size > 0);
    const touchedDenying = denying.filter(({ touched }) => touched.size > 0);
    for (const allow of allowing)
      for (const deny of allow.touched.size > 0 ? denying : touchedDenying) {
        if (allow === deny || ++this.#tried > TRIED_MAX) continue;
        if (this.#meet(allow.allowed, deny.denied)) this.#add(type, [allow, deny]);
      }
    if (this.sides.some(({ read }) => read)) this.#among(type, ways);
  }

  /** Marks each parent among others, if conditions ask for more than what gives and denies. */
  #among(type: Path, ways: readonly { way: ParentChoice }[]): void {
    const whole = this.scope.wholeActions(type);
    const more = (place: BelowPlace, actions: ReadonlySet<string>) =>
      this.scope.addPlace(type, { ...place, among: true }, actions);
    if (whole.size > 0) more({ below: [] }, whole);
    for (const { way } of ways) if (way.touched.size > 0) more({ below: way.below, named: way.named }, way.touched);
    const asking = ways.filter(({ way }) => way.asks);
    for (const [parent, actions] of this.scope.touchedParents(type)) {
      if (!this.changed.both.has(parent)) continue;
      more({ below: [parent] }, actions);
      // What is given below one place may hang on the properties of another.
      for (const { way } of asking)
        if (!way.below.includes(parent) && ++this.#tried <= TRIED_MAX)
          more({ below: [...way.below, parent].sort(), named: [...way.named, parent].sort() }, actions);
    }
    for (const [name, places] of this.scope.placedNames(type)) {
      this.scope.addPlace(type, { below: [], among: true }, ALL, name);
      for (const below of places) this.scope.addPlace(type, { below: [below], among: true }, ALL, name);
    }
  }

  #ways(type: Path): { one: ParentClass; way: ParentChoice }[] {
    const touched = this.scope.touchedParents(type);
    const found: { one: ParentClass; way: ParentChoice }[] = [];
    for (const { type: parentType } of uniqueTypes(this.#parentsOf(type))) {
      const classes = this.#classesOf(parentType);
      const actions = new Map<ParentClass, Set<string>>();
      for (const [parent, some] of touched) {
        const one = typeOfResource(parent) === parentType ? classes.get(this.#keyOf(parent)) : undefined;
        if (one === undefined) continue;
        const known = actions.get(one) ?? new Set();
        for (const action of some) known.add(action);
        actions.set(one, known);
      }
      for (const one of classes.values())
        found.push({
          one,
          way: {
            below: one.below,
            named: one.named,
            ...this.#concerned(type, one.places),
            touched: actions.get(one) ?? NO_ACTIONS,
          },
        });
    }
    return found;
  }

  /** Whom places allow and deny something of a type. */
  #concerned(type: Path, places: ReadonlySet<Path>): Pick<ParentChoice, 'allowed' | 'denied' | 'asks'> {
    const [allowed, denied] = [new Set<number>(), new Set<number>()];
    let asks = false;
    const count = (effect: Effect) => {
      (effect.deny ? denied : allowed).add(effect.principal);
      asks ||= effect.asks;
    };
    for (const place of places)
      for (const { effects } of this.sides)
        for (const effect of effects.get(place) ?? [])
          if (effect.type === undefined || effect.type === type) count(effect);
    for (const { effect, places: both } of this.sides.flatMap(({ crossing }) => crossing))
      if (both.every((place) => places.has(place))) count(effect);
    return { allowed, denied, asks };
  }

  /** Returns the choices that take two places at once. */
  #crossed(type: Path, ways: readonly { one: ParentClass; way: ParentChoice }[]): ParentChoice[] {
    const found = new Map<string, ParentChoice & { allowed: Set<number>; denied: Set<number> }>();
    const at = (place: Path) => ways.filter(({ one }) => one.places.has(place)).map(({ way }) => way);
    for (const { effect, places } of this.sides.flatMap(({ crossing }) => crossing)) {
      const [held, covered] = places.map(at) as [ParentChoice[], ParentChoice[]];
      for (const first of held)
        for (const second of covered) {
          if (first === second || ++this.#tried > TRIED_MAX) continue;
          const touched = new Set([...first.touched, ...second.touched]);
          const below = [...new Set([...first.below, ...second.below])].sort();
          const key = below.join('//');
          const known = found.get(key) ?? {
            below,
            named: [...new Set([...first.named, ...second.named])].sort(),
            allowed: new Set(),
            denied: new Set(),
            asks: false,
            touched,
          };
          (effect.deny ? known.denied : known.allowed).add(effect.principal);
          found.set(key, known);
        }
    }
    for (const name of this.scope.placedNames(type).keys())
      for (const { below, named } of found.values()) this.scope.addPlace(type, { below, named }, ALL, name);
    return [...found.values()];
  }

  /** A DENY that may apply because a property is not sent (docs/semantics.md 8.6). */
  #unsaidWays(type: Path): ParentChoice[] {
    const parents = this.#parentsOf(type);
    const touched = this.scope.unsaidActions(type);
    return parents.map(({ type: parentType, property }) => {
      const types = this.#typesAbove(parentType);
      const places = new Set<Path>();
      for (const { effects } of this.sides)
        for (const place of effects.keys()) if (types.has(typeOfResource(place))) places.add(place);
      const { denied } = this.#concerned(type, places);
      return { below: [], named: [], unsaid: property, allowed: new Set<number>(), denied, asks: false, touched };
    });
  }

  #typesAbove(type: Path): ReadonlySet<Path> {
    const types = new Set([type]);
    for (const one of types)
      for (const { parents } of this.sides) for (const { type: parent } of parents.get(one) ?? []) types.add(parent);
    return types;
  }

  #meet(first: ReadonlySet<number>, second: ReadonlySet<number>): boolean {
    for (const one of first)
      for (const other of second) {
        if (one === other) return true;
        const key = `${one} ${other}`;
        let shared = this.#shared.get(key);
        if (shared === undefined) {
          shared = this.share(one, other);
          this.#shared.set(key, shared);
        }
        if (shared) return true;
      }
    return false;
  }

  #add(type: Path, ways: readonly ParentChoice[]): void {
    const below = [...new Set(ways.flatMap((way) => way.below))].sort();
    const named = [...new Set(ways.flatMap((way) => way.named))].sort();
    const unsaid = ways.find((way) => way.unsaid !== undefined)?.unsaid;
    if (below.length < (unsaid === undefined ? 2 : 1)) return;
    const touched = new Set(ways.flatMap((way) => [...way.touched]));
    const among = unsaid === undefined && this.sides.some(({ read }) => read);
    const place = { below, named, ...(unsaid !== undefined && { unsaid }), ...(among && { among }) };
    if (touched.size > 0) this.scope.addPlace(type, place, touched);
  }

  #keyOf(parent: Path): string {
    return this.sides.map(({ above }) => above.get(parent)?.places.join('//') ?? '').join('\n');
  }

  /** The resources of a type that lie where places make a difference, in classes. */
  #classesOf(type: Path): ReadonlyMap<string, ParentClass> {
    let classes = this.#classes.get(type);
    if (classes === undefined) {
      const made = new Map<string, ParentClass>();
      for (const parent of [...new Set(this.sides.flatMap(({ above }) => [...above.keys()]))].sort()) {
        if (typeOfResource(parent) !== type || this.changed.oneSided.has(parent)) continue;
        const key = this.#keyOf(parent);
        const named = this.sides
          .map(({ above }) => above.get(parent)?.lowest ?? [])
          .find((lowest) => lowest.length > 0);
        const known = made.get(key);
        // A place itself speaks for those that lie below it.
        if (known !== undefined && (known.named[0] === known.below[0] || named?.[0] !== parent)) continue;
        const places = new Set(this.sides.flatMap(({ above }) => above.get(parent)?.places ?? []));
        made.set(key, { below: [parent], named: named ?? [parent], places });
      }
      classes = made;
      this.#classes.set(type, classes);
    }
    return classes;
  }
}

const ALL: ReadonlySet<string> = new Set(['*']);

function uniqueTypes<T extends { readonly type: Path }>(parents: readonly T[]): T[] {
  return parents.filter(({ type }, at) => at === parents.findIndex((other) => other.type === type));
}

import { type Path, path } from '../../records/address.js';
import type { Resource } from '../grants/target.js';
import {
  type BelowPlace,
  placedUnit,
  type ResourceUnit,
  recordedUnit,
  unrecordedUnit,
} from '../universe/resource-places.js';

/** The part of a type that changes may touch, with the actions of each. */
interface TouchedType {
  readonly all: Set<string>;
  readonly unsaid: Set<string>;
  readonly byName: Map<string, Set<string>>;
  readonly below: Map<Path, Set<string>>;
  /** The places of resources that are recorded in one state: requests may say in the other that they lie there. */
  readonly placed: Map<string, Set<Path>>;
  /** Places that parents make together, or among others. */
  readonly together: Map<string, readonly [ResourceUnit, ReadonlySet<string>]>;
}

/** The most places of resources that lose or get their record. */
const PLACED_MAX = 100_000;
/** The most places that parents make together. */
const TOGETHER_MAX = 20_000;
/** Every action. */
const ALL: ReadonlySet<string> = new Set(['*']);

/** The resources and actions that changes may touch. */
export class ChangeScope {
  readonly #types = new Map<Path, TouchedType>();
  #placed = 0;
  #together = 0;
  #cut = false;

  #at(type: Path): TouchedType {
    let touched = this.#types.get(type);
    if (touched === undefined) {
      touched = {
        ...{ all: new Set(), unsaid: new Set(), byName: new Map(), below: new Map(), placed: new Map() },
        together: new Map(),
      };
      this.#types.set(type, touched);
    }
    return touched;
  }

  addType(type: Path, actions: readonly string[]): void {
    for (const action of actions) this.#at(type).all.add(action);
  }

  addUnsaid(type: Path, actions: readonly string[]): void {
    for (const action of actions) this.#at(type).unsaid.add(action);
  }

  addResource(type: Path, name: string, actions: readonly string[]): void {
    add(this.#at(type).byName, name, actions);
  }

  addBelow(type: Path, parent: Resource, actions: readonly string[]): void {
    add(this.#at(type).below, `${parent.type.path}/${path(parent.name)}`, actions);
  }

  /** A resource that has no record in one of the states, in which requests may place it in any of these. */
  addPlaced(type: Path, name: string, parents: readonly Resource[]): void {
    const { placed } = this.#at(type);
    const places = placed.get(name) ?? new Set();
    placed.set(name, places);
    for (const parent of parents) {
      if (this.#placed++ >= PLACED_MAX) return;
      places.add(`${parent.type.path}/${path(parent.name)}`);
    }
  }

  /** Resources without a record in a place that several parents make; with a name, one that is recorded in one state. */
  addPlace(type: Path, place: BelowPlace, actions: ReadonlySet<string>, name?: string): void {
    const unit = name === undefined ? unrecordedUnit(type, place) : placedUnit(type, name, place);
    const { together } = this.#at(type);
    const known = together.get(unit.key);
    if (known === undefined && ++this.#together > TOGETHER_MAX) this.cut();
    else together.set(unit.key, [unit, union(actions, known?.[1])]);
  }

  /** Says that there is more than is looked at. */
  cut(): void {
    this.#cut = true;
  }

  /** Whether all places have been looked at. */
  get complete(): boolean {
    return !this.#cut && this.#placed <= PLACED_MAX;
  }

  /** The actions that are touched for all of a type. */
  wholeActions(type: Path): ReadonlySet<string> {
    return this.#at(type).all;
  }

  /** The actions that are touched where nobody says where a resource lies. */
  unsaidActions(type: Path): ReadonlySet<string> {
    const { all, unsaid } = this.#at(type);
    return union(all, unsaid);
  }

  touchedParents(type: Path): ReadonlyMap<Path, ReadonlySet<string>> {
    return this.#at(type).below;
  }

  placedNames(type: Path): ReadonlyMap<string, ReadonlySet<Path>> {
    return this.#at(type).placed;
  }

  types(): Iterable<Path> {
    return this.#types.keys();
  }

  /** The units of a type with their actions; `names` are those recorded in either state. */
  *units(type: Path, names: Iterable<string>): Generator<readonly [ResourceUnit, ReadonlySet<string>], void> {
    const { all, unsaid, byName, below, placed, together } = this.#at(type);
    if (all.size > 0) {
      for (const name of names) yield [recordedUnit(type, name), union(all, byName.get(name))];
      yield [unrecordedUnit(type, 'nowhere'), all];
    } else for (const [name, actions] of byName) yield [recordedUnit(type, name), actions];
    if (all.size > 0 || unsaid.size > 0) yield [unrecordedUnit(type, 'unsaid'), union(all, unsaid)];
    for (const [parent, actions] of below) yield [unrecordedUnit(type, { below: [parent] }), actions];
    for (const [name, parents] of placed) {
      yield [placedUnit(type, name, 'nowhere'), ALL];
      for (const parent of parents) yield [placedUnit(type, name, { below: [parent] }), ALL];
    }
    yield* together.values();
  }
}

function add(byKey: Map<string, Set<string>>, key: string, actions: readonly string[]): void {
  const known = byKey.get(key);
  if (known === undefined) byKey.set(key, new Set(actions));
  else for (const action of actions) known.add(action);
}

function union(first: ReadonlySet<string>, second: ReadonlySet<string> | undefined): ReadonlySet<string> {
  return second === undefined || second.size === 0 ? first : new Set([...first, ...second]);
}

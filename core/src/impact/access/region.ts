import type { Resource } from '../../decision/grants/target.js';
import { type Path, path } from '../../records/address.js';
import { type ResourceUnit, recordedUnit, unrecordedUnit } from '../universe/resource-places.js';

/** The part of a type that changes may touch, with the actions of each. */
interface TouchedType {
  readonly all: Set<string>;
  readonly unsaid: Set<string>;
  readonly byName: Map<string, Set<string>>;
  readonly below: Map<Path, Set<string>>;
}

/** The resources and actions that changes may touch. */
export class Region {
  readonly #types = new Map<Path, TouchedType>();

  #at(type: Path): TouchedType {
    let touched = this.#types.get(type);
    if (touched === undefined) {
      touched = { all: new Set(), unsaid: new Set(), byName: new Map(), below: new Map() };
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

  types(): Iterable<Path> {
    return this.#types.keys();
  }

  /** The units of a type with their actions; `names` are those recorded in either state. */
  *units(type: Path, names: Iterable<string>): Generator<readonly [ResourceUnit, ReadonlySet<string>], void> {
    const { all, unsaid, byName, below } = this.#at(type);
    if (all.size > 0) {
      for (const name of names) yield [recordedUnit(type, name), union(all, byName.get(name))];
      yield [unrecordedUnit(type, 'nowhere'), all];
    } else for (const [name, actions] of byName) yield [recordedUnit(type, name), actions];
    if (all.size > 0 || unsaid.size > 0) yield [unrecordedUnit(type, 'unsaid'), union(all, unsaid)];
    for (const [parent, actions] of below) yield [unrecordedUnit(type, { below: parent }), actions];
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

import { remembered } from '../../collections/remembered.js';
import { type Path, typeOfResource } from '../../records/address.js';
import type { AccessSide } from './access-side.js';
import type { JudgedResource } from './resource-places.js';

/** A resource that is judged, and for which actions. */
export type UnitActions = readonly [JudgedResource, string[]];

const STEP = 200;

/** The resources to judge for one subject. */
export interface JudgedResources {
  readonly units: Iterable<UnitActions>;
  /** Says that the subject breaks the rule on this one; one that is not among `units` matters to nobody else. */
  breaks(one: UnitActions): void;
}

/**
 * The resources left to judge for subjects that only the places of their roles tell apart: outside of these places they are
 * the same, so that each resource there is judged for one of them, and for the others if that one breaks the rule on it.
 */
export class JudgedPlaces {
  readonly #at = new Map<Path, Set<UnitActions>>();
  /** By the types of places that a resource may lie below for all that is said. */
  readonly #maybe = new Map<Path, Set<UnitActions>>();
  readonly #left = new Map<string, readonly UnitActions[]>();
  readonly #broken = new Map<string, Set<UnitActions>>();
  readonly #all: ReadonlySet<UnitActions>;

  private constructor(private readonly units: readonly UnitActions[]) {
    this.#all = new Set(units);
  }

  static *of(units: readonly UnitActions[], sides: readonly AccessSide[]): Generator<undefined, JudgedPlaces> {
    const made = new JudgedPlaces(units);
    let steps = 0;
    for (const one of units)
      for (const side of sides)
        for (const form of side.formsOf(one[0])) {
          if (++steps % STEP === 0) yield;
          const { places, unknown } = side.locate(form);
          for (const place of places) remembered(made.#at, place, () => new Set()).add(one);
          for (const type of unknown) remembered(made.#maybe, type, () => new Set()).add(one);
        }
    return made;
  }

  /**
   * Returns what to judge for a subject with roles on these places; `alike` is the same for subjects that nothing else tells
   * apart.
   */
  take(alike: string, places: ReadonlySet<Path>): JudgedResources {
    const left = this.#left.get(alike) ?? this.units;
    const own = new Set<UnitActions>();
    for (const place of places)
      for (const found of [this.#at.get(place), this.#maybe.get(typeOfResource(place))])
        for (const one of found ?? []) own.add(one);
    this.#left.set(alike, own.size === 0 ? [] : left.filter((one) => own.has(one)));
    const broken = remembered(this.#broken, alike, () => new Set());
    return {
      units: own.size + broken.size === 0 ? left : new Set([...own, ...left, ...broken]),
      breaks: (one) => {
        if (this.#all.has(one) && !own.has(one)) broken.add(one);
      },
    };
  }
}

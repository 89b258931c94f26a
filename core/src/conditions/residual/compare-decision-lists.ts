import type { Atom } from './atom.js';
import type { Assignment } from './attribute.js';
import type { Cluster, Clusters, OutcomeCell } from './cluster.js';
import type { DecisionLists, StepList } from './decision-list.js';
import { type FormulaOutcome, OUTCOMES } from './formula.js';

/** Values that a request chooses, and those that it chooses besides. */
export interface Choice {
  readonly chosen: Assignment;
  readonly more: Choice | undefined;
}

/** Whether a request is allowed by one list and not by the other: not at all, maybe, or certainly with this one. */
type Side = 'no' | 'maybe' | { readonly with: Choice | undefined };

/** The answers that the second list allows more, and less. */
export interface ListDifference {
  readonly gained: Side;
  readonly lost: Side;
}

const SAME: ListDifference = { gained: 'no', lost: 'no' };
const UNCLEAR: ListDifference = { gained: 'maybe', lost: 'maybe' };

/** The parts of formulas that one comparison may look at. */
const STEPS_MAX = 250_000;

/** Thrown through a comparison that takes more steps than it may. */
class TooManySteps extends Error {}

/**
 * Compares lists by going through what requests may choose, cluster by cluster. Values of a complete cluster stand for
 * all. Of another one, its values are tried, for what certainly happens, and its atoms may besides turn out in any way,
 * for what may happen. So neither answer is ever wrong, and the question is open only where they differ.
 */
export class DecisionListComparison {
  readonly #lists: DecisionLists;
  readonly #clusters: Clusters;
  readonly #known = new Map<string, ListDifference>();
  readonly #imagined = new Map<string, ListDifference>();
  #of: ReadonlyMap<Atom, Cluster> = new Map();
  #steps = 0;
  #stepsMax = STEPS_MAX;
  readonly #count = () => {
    if (++this.#steps > this.#stepsMax) throw new TooManySteps();
  };

  constructor(lists: DecisionLists, clusters: Clusters) {
    this.#lists = lists;
    this.#clusters = clusters;
  }

  /** How many steps the last comparison took. */
  get steps(): number {
    return this.#steps;
  }

  /** With fewer steps an answer that needs more is not remembered. */
  difference(before: StepList, after: StepList, stepsMax = STEPS_MAX): ListDifference {
    const plain = plainly(before, after);
    if (plain !== undefined) return plain;
    const known = this.#known.get(keyOf(before, after));
    if (known !== undefined) return known;
    this.#steps = 0;
    this.#stepsMax = stepsMax;
    this.#of = this.#clusters.of([...new Set([...atomsOf(before), ...atomsOf(after)])]);
    try {
      return this.#compare(before, after);
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      if (stepsMax === STEPS_MAX) this.#known.set(keyOf(before, after), UNCLEAR);
      return UNCLEAR;
    }
  }

  #compare(before: StepList, after: StepList): ListDifference {
    const plain = plainly(before, after);
    if (plain !== undefined) return plain;
    const key = keyOf(before, after);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#count();
    const atom = firstAtom(before, after);
    const cluster = this.#of.get(atom) as Cluster;
    let found = SAME;
    for (const { outcomes, chosen } of distinct(cluster, before, after)) {
      const inside = this.#settled(before, after, outcomes, (left, right) => this.#compare(left, right));
      found = {
        gained: either(found.gained, with_(chosen, inside.gained)),
        lost: either(found.lost, with_(chosen, inside.lost)),
      };
      if (isCertain(found.gained) && isCertain(found.lost)) break;
    }
    if (!cluster.complete && !(isCertain(found.gained) && isCertain(found.lost))) {
      const imagined = this.#imagine(before, after);
      found = { gained: either(found.gained, imagined.gained), lost: either(found.lost, imagined.lost) };
    }
    this.#known.set(key, found);
    return found;
  }

  /** Finds what happens if atoms of clusters that are not complete turn out in any way, so that nothing is certain. */
  #imagine(before: StepList, after: StepList): ListDifference {
    const plain = plainly(before, after);
    if (plain !== undefined) return maybe(plain);
    const key = keyOf(before, after);
    const known = this.#imagined.get(key);
    if (known !== undefined) return known;
    this.#count();
    const atom = firstAtom(before, after);
    const cluster = this.#of.get(atom) as Cluster;
    const all = cluster.complete
      ? distinct(cluster, before, after).map(({ outcomes }) => outcomes)
      : OUTCOMES.map((outcome) => new Map([[atom, outcome]]));
    let found = SAME;
    for (const outcomes of all) {
      const inside = this.#settled(before, after, outcomes, (left, right) => this.#imagine(left, right));
      found = { gained: either(found.gained, inside.gained), lost: either(found.lost, inside.lost) };
      if (found.gained === 'maybe' && found.lost === 'maybe') break;
    }
    this.#imagined.set(key, found);
    return found;
  }

  #settled(
    before: StepList,
    after: StepList,
    outcomes: ReadonlyMap<Atom, FormulaOutcome>,
    compare: (before: StepList, after: StepList) => ListDifference,
  ): ListDifference {
    return compare(this.#lists.settle(before, outcomes, this.#count), this.#lists.settle(after, outcomes, this.#count));
  }
}

function keyOf(before: StepList, after: StepList): string {
  return `${before.id}/${after.id}`;
}

/** The difference that needs no comparison. */
function plainly(before: StepList, after: StepList): ListDifference | undefined {
  if (before === after) return SAME;
  if (before.decided === undefined || after.decided === undefined) return undefined;
  return after.decided ? { gained: { with: undefined }, lost: 'no' } : { gained: 'no', lost: { with: undefined } };
}

function* atomsOf({ steps }: StepList): Iterable<Atom> {
  for (const { residual } of steps) yield* residual.atoms;
}

/** An atom of the first steps that differ, since what both lists have may make no difference in the end. */
function firstAtom(before: StepList, after: StepList): Atom {
  const length = Math.max(before.steps.length, after.steps.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [before.steps[at], after.steps[at]];
    if (left?.residual === right?.residual && left?.deny === right?.deny) continue;
    const own = new Set(left?.residual.atoms);
    const others = right?.residual.atoms ?? [];
    const [found] = [...others.filter((atom) => !own.has(atom)), ...own, ...others];
    if (found !== undefined) return found;
  }
  const [any] = [...atomsOf(before), ...atomsOf(after)];
  return any as Atom;
}

/** The cells of a cluster that are told apart by the atoms that are left. */
function distinct({ atoms, cells }: Cluster, before: StepList, after: StepList): readonly OutcomeCell[] {
  const left = new Set([...atomsOf(before), ...atomsOf(after)]);
  const relevant = atoms.filter((atom) => left.has(atom));
  if (relevant.length === atoms.length) return cells;
  const found = new Map<string, OutcomeCell>();
  for (const cell of cells) {
    const key = relevant.map((atom) => cell.outcomes.get(atom)).join();
    if (!found.has(key)) found.set(key, cell);
  }
  return [...found.values()];
}

function isCertain(side: Side): side is { with: Choice | undefined } {
  return typeof side === 'object';
}

function either(first: Side, second: Side): Side {
  if (isCertain(first)) return first;
  return isCertain(second) || first === 'no' ? second : first;
}

function with_(chosen: Assignment, side: Side): Side {
  return isCertain(side) ? { with: { chosen, more: side.with } } : side;
}

function maybe({ gained, lost }: ListDifference): ListDifference {
  return { gained: gained === 'no' ? 'no' : 'maybe', lost: lost === 'no' ? 'no' : 'maybe' };
}

import { remembered } from '../../collections/remembered.js';
import type { Json } from '../../json/json.js';
import type { Modifiers } from '../../records/policy.js';
import type { Ast } from '../syntax/parse.js';
import type { Attribute, PropertyRoot } from './attribute.js';
import { Clusters } from './cluster.js';
import { DecisionListComparison } from './compare-decision-lists.js';
import { DecisionLists, type StepList } from './decision-list.js';
import type { Formula } from './formula.js';
import { PartialEvaluator } from './partial-evaluator.js';
import type { PartialRequest } from './partial-request.js';
import { readsOfGuard } from './reads.js';
import { simplified } from './simplify.js';
import type { Read } from './syntax.js';
import { formulaText, whenAllowed } from './text-of.js';
import { type ChosenValues, witnessOf } from './witness.js';

/** The requirements of a policy; a policy that requires nothing has an empty one. */
export interface PolicyGuard {
  readonly condition?: string | undefined;
  readonly modifiers?: Modifiers | undefined;
  readonly unless?: Modifiers | undefined;
}

/** A policy that covers the subject, action and resource in question. */
export interface ResidualCandidate {
  readonly effect: 'ALLOW' | 'DENY';
  readonly priority: number;
  readonly residual: Formula;
}

/**
 * Candidates in order of precedence (docs/semantics.md 5.1), without those that make no difference. Lists of one
 * `Residuals` that are the same are one object.
 */
export interface DecisionList {
  readonly id: number;
  readonly candidates: readonly ResidualCandidate[];
}

/** Whether every request is allowed, none, or it depends on the request. A failed evaluation allows nothing. */
export type ListVerdict = 'allow' | 'deny' | 'depends';

/** The requests that the second of two lists allows in comparison with the first, with an example for each direction. */
export interface Comparison {
  /** `unknown` if it cannot be said: then a witness may still show one direction. */
  readonly change: 'same' | 'gained' | 'lost' | 'mixed' | 'unknown';
  readonly gained?: ChosenValues;
  readonly lost?: ChosenValues;
}

/** A property or member of the context that requests send, and the values of it that conditions tell apart. */
export interface RequestChoice {
  readonly root: PropertyRoot;
  readonly name: string;
  readonly values: readonly Json[];
}

export type Satisfiability =
  | { readonly possible: 'yes'; readonly witness: ChosenValues }
  | { readonly possible: 'no' | 'unknown' };

/** The steps that may show that a shorter formula is the same, and those of all texts together: none is worth more. */
const SIMPLIFYING_STEPS_MAX = 2000;
const ALL_SIMPLIFYING_STEPS_MAX = 1_000_000;

/**
 * Conditions evaluated as far as what is known goes, and comparisons of what remains. One serves one delta or one check:
 * it remembers all that it has worked out, and its formulas and lists mean nothing to another. No answer hangs on the
 * speed of a machine: work is bounded by counted steps, and what takes more is `unknown`.
 *
 * Requests that are so large that the steps of a decision run out (docs/semantics.md 4.9) are left aside.
 */
export class Residuals {
  readonly #evaluator = new PartialEvaluator();
  /** Joins and negates what `residualOf` returns. */
  readonly formulas = this.#evaluator.formulas;
  readonly #lists = new DecisionLists(this.#evaluator.formulas);
  readonly #clusters = new Clusters(this.#evaluator.attributes);
  readonly #comparison = new DecisionListComparison(this.#lists, this.#clusters);
  readonly #guards = new Map<PolicyGuard, { reads: readonly Read[]; made: Map<string, Formula> }>();
  readonly #conditions = new Map<string, PolicyGuard>();
  readonly #simplified = new Map<Formula, Formula>();
  #simplifyingSteps = 0;
  readonly #none = this.#lists.of([]);
  readonly #all = this.#lists.of([this.#allow(this.#evaluator.formulas.constant('true'))]);

  /**
   * Returns the residual of a guard. With `placeUnknown` it is that of a policy to which only unknown ways lead (8.6). It
   * is remembered by guard, by identity, and by the values that the guard reads.
   */
  residualOf(guard: PolicyGuard, known: PartialRequest, placeUnknown = false): Formula {
    let memory = this.#guards.get(guard);
    if (memory === undefined) {
      memory = { reads: readsOfGuard(guard), made: new Map() };
      this.#guards.set(guard, memory);
    }
    const key = this.#evaluator.keyOf(memory.reads, known);
    let formula = memory.made.get(key);
    if (formula === undefined) {
      formula = this.#evaluator.guard(guard, known);
      memory.made.set(key, formula);
    }
    const { formulas } = this.#evaluator;
    return placeUnknown ? formulas.and([formulas.constant('absent'), formula]) : formula;
  }

  /** Returns the residual of a condition by itself. It is remembered by its text. */
  residualOfCondition(condition: string, known: PartialRequest): Formula {
    const guard = remembered(this.#conditions, condition, () => ({ condition }));
    return this.residualOf(guard, known);
  }

  /** Returns the residual of a part of a condition that names no variable of a macro. */
  residualOfPart(ast: Ast, known: PartialRequest): Formula {
    return this.#evaluator.part(ast, known);
  }

  listOf(candidates: readonly ResidualCandidate[]): DecisionList {
    return this.#lists.of(candidates);
  }

  verdictOf(list: DecisionList): ListVerdict {
    const { decided } = list as StepList;
    if (decided !== undefined) return decided ? 'allow' : 'deny';
    if (this.#comparison.difference(this.#none, list as StepList).gained === 'no') return 'deny';
    return this.#comparison.difference(this.#all, list as StepList).lost === 'no' ? 'allow' : 'depends';
  }

  compare(before: DecisionList, after: DecisionList): Comparison {
    const { gained, lost } = this.#comparison.difference(before as StepList, after as StepList);
    const witnesses = {
      ...(typeof gained === 'object' && { gained: witnessOf(gained.with) }),
      ...(typeof lost === 'object' && { lost: witnessOf(lost.with) }),
    };
    if (typeof gained === 'object' && typeof lost === 'object') return { change: 'mixed', ...witnesses };
    if (gained === 'maybe' || lost === 'maybe') return { change: 'unknown', ...witnesses };
    if (gained === 'no') return { change: lost === 'no' ? 'same' : 'lost', ...witnesses };
    return { change: 'gained', ...witnesses };
  }

  /** Whether some request is allowed by a list, or makes a formula true. */
  satisfiable(what: DecisionList | Formula): Satisfiability {
    const list = 'candidates' in what ? what : this.#lists.of([this.#allow(what)]);
    const { gained } = this.#comparison.difference(this.#none, list as StepList);
    if (typeof gained === 'object') return { possible: 'yes', witness: witnessOf(gained.with) };
    return { possible: gained === 'no' ? 'no' : 'unknown' };
  }

  /** Lists what requests may send that makes a difference to a list. */
  choicesIn({ candidates }: DecisionList): RequestChoice[] {
    const atoms = [...new Set(candidates.flatMap(({ residual }) => residual.atoms))];
    const values = new Map<Attribute & { kind: 'property' }, Map<string, Json>>();
    for (const { cells } of new Set(this.#clusters.of(atoms).values()))
      for (const [attribute, value] of cells.flatMap(({ chosen }) => [...chosen])) {
        if (attribute.kind !== 'property' || attribute.name === undefined || value === undefined) continue;
        remembered(values, attribute, () => new Map()).set(JSON.stringify(value), value);
      }
    return [...values].map(([{ root, name = '' }, found]) => ({ root, name, values: [...found.values()] }));
  }

  /** The condition on requests, as short as can be proved the same, as readable Service CEL: `context.amount < 10000`. */
  textOf(what: DecisionList | Formula): string {
    const formula = 'candidates' in what ? whenAllowed(what.candidates, this.formulas) : what;
    const short = remembered(this.#simplified, formula, () =>
      simplified(formula, this.formulas, (left, right) => this.#isSame(left, right)),
    );
    return formulaText(short);
  }

  /** Whether two formulas are proved to be true for the same requests, by a few steps. */
  #isSame(left: Formula, right: Formula): boolean {
    if (this.#simplifyingSteps > ALL_SIMPLIFYING_STEPS_MAX) return false;
    const [before, after] = [left, right].map((one) => this.#lists.of([this.#allow(one)])) as [StepList, StepList];
    const { gained, lost } = this.#comparison.difference(before, after, SIMPLIFYING_STEPS_MAX);
    this.#simplifyingSteps += 1 + this.#comparison.steps;
    return gained === 'no' && lost === 'no';
  }

  #allow(residual: Formula): ResidualCandidate {
    return { effect: 'ALLOW', priority: 0, residual };
  }
}

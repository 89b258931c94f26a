import type { Atom } from './atom.js';

/** How a guard, or a part of one, turns out (docs/semantics.md 4.2). */
export type FormulaOutcome = 'true' | 'false' | 'absent' | 'failed';

export const OUTCOMES: readonly FormulaOutcome[] = ['true', 'false', 'absent', 'failed'];
const BIT: { readonly [O in FormulaOutcome]: number } = { true: 1, false: 2, absent: 4, failed: 8 };
const EVERY = 15;

/**
 * `held` is false where its part is absent (docs/semantics.md 4.10); `sure` is false where its part fails; `if` has three
 * parts. The others combine by 4.4.
 */
export type FormulaOp = 'constant' | 'atom' | 'and' | 'or' | 'not' | 'if' | 'held' | 'sure';

/**
 * The residual of a guard after all that is known has been filled in. Those of one `Residuals` that mean the same in the
 * same words are one object, so that they are compared by identity.
 */
export interface Formula {
  readonly id: number;
  readonly op: FormulaOp;
  readonly parts: readonly Formula[];
  /** Set where the outcome is the same for every request. */
  readonly constant: FormulaOutcome | undefined;
  readonly atom: Atom | undefined;
  /** The atoms in it, each once, in the order in which they stand. */
  readonly atoms: readonly Atom[];
  /** Bits of the outcomes that are not ruled out by its form. */
  readonly can: number;
}

/** Whether a formula may turn out like this, for all that its form says. */
export function mayTurnOut(formula: Formula, outcome: FormulaOutcome): boolean {
  return (formula.can & BIT[outcome]) !== 0;
}

/** Outcomes of atoms that are settled. */
export type Settled = ReadonlyMap<Atom, FormulaOutcome>;

/** Makes formulas, each once, in a normal form: operands of `and` and `or` are flat, without repetition, and in order. */
export class FormulaPool {
  readonly #made = new Map<string, Formula>();
  readonly #constants: { readonly [O in FormulaOutcome]: Formula };

  constructor() {
    const constant = (outcome: FormulaOutcome): Formula => ({
      id: OUTCOMES.indexOf(outcome),
      op: 'constant',
      parts: [],
      constant: outcome,
      atom: undefined,
      atoms: [],
      can: BIT[outcome],
    });
    this.#constants = {
      true: constant('true'),
      false: constant('false'),
      absent: constant('absent'),
      failed: constant('failed'),
    };
  }

  constant(outcome: FormulaOutcome): Formula {
    return this.#constants[outcome];
  }

  atom(atom: Atom): Formula {
    return this.#make('atom', [], atom, EVERY);
  }

  not(part: Formula): Formula {
    if (part.constant === 'true') return this.constant('false');
    if (part.constant === 'false') return this.constant('true');
    if (part.constant !== undefined) return part;
    if (part.op === 'not') return part.parts[0] as Formula;
    return this.#make('not', [part], undefined, swapped(part.can));
  }

  and(parts: readonly Formula[]): Formula {
    return this.#chain('and', parts, 'false', 'true');
  }

  or(parts: readonly Formula[]): Formula {
    return this.#chain('or', parts, 'true', 'false');
  }

  choice(test: Formula, yes: Formula, no: Formula): Formula {
    if (test.constant === 'true') return yes;
    if (test.constant === 'false') return no;
    if (test.constant !== undefined) return test;
    const troubles = test.can & (BIT.absent | BIT.failed);
    if (yes === no && troubles === 0) return yes;
    return this.#make('if', [test, yes, no], undefined, yes.can | no.can | troubles);
  }

  held(part: Formula): Formula {
    if (part.constant === 'absent') return this.constant('false');
    if (!mayTurnOut(part, 'absent')) return part;
    return this.#make('held', [part], undefined, (part.can & ~BIT.absent) | BIT.false);
  }

  sure(part: Formula): Formula {
    if (part.constant === 'failed') return this.constant('false');
    if (!mayTurnOut(part, 'failed')) return part;
    return this.#make('sure', [part], undefined, (part.can & ~BIT.failed) | BIT.false);
  }

  /**
   * A formula that is true where this one is, and otherwise anything; with `false`, one that is false where this one is.
   * What is always absent or failed in it comes out as the opposite.
   */
  only(outcome: 'true' | 'false', formula: Formula): Formula {
    const { op, parts, constant } = formula;
    const opposite = outcome === 'true' ? 'false' : 'true';
    if (constant !== undefined) return this.constant(constant === outcome ? outcome : opposite);
    if (!mayTurnOut(formula, outcome)) return this.constant(opposite);
    if (op === 'and' || op === 'or') {
      const changed = parts.map((part) => this.only(outcome, part));
      return changed.every((part, at) => part === parts[at]) ? formula : this[op](changed);
    }
    return op === 'not' ? this.not(this.only(opposite, parts[0] as Formula)) : formula;
  }

  /** The formula with the outcomes of some atoms filled in; `count` is called for each part that is looked at. */
  settle(formula: Formula, settled: Settled, count: () => void): Formula {
    if (!formula.atoms.some((atom) => settled.has(atom))) return formula;
    count();
    if (formula.atom !== undefined) return this.constant(settled.get(formula.atom) as FormulaOutcome);
    const parts = formula.parts.map((part) => this.settle(part, settled, count));
    const [first, second, third] = parts as [Formula, Formula, Formula];
    switch (formula.op) {
      case 'and':
        return this.and(parts);
      case 'or':
        return this.or(parts);
      case 'not':
        return this.not(first);
      case 'if':
        return this.choice(first, second, third);
      case 'held':
        return this.held(first);
      case 'sure':
        return this.sure(first);
      default:
        return formula;
    }
  }

  #chain(op: 'and' | 'or', parts: readonly Formula[], settling: 'true' | 'false', neutral: 'true' | 'false'): Formula {
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return first;
    const kept = new Set<Formula>();
    for (const part of parts.flatMap((one) => (one.op === op ? one.parts : [one]))) {
      if (part.constant === settling) return part;
      if (part.constant !== neutral) kept.add(part);
    }
    if (kept.has(this.#constants.absent)) kept.delete(this.#constants.failed);
    const [only] = kept;
    if (only === undefined) return this.constant(neutral);
    if (kept.size === 1) return only;
    const sorted = [...kept].sort((left, right) => left.id - right.id);
    return this.#make(op, sorted, undefined, chainCan(sorted, BIT[settling], BIT[neutral]));
  }

  #make(op: FormulaOp, parts: readonly Formula[], atom: Atom | undefined, can: number): Formula {
    const key = atom === undefined ? `${op}:${parts.map(({ id }) => id).join(',')}` : `atom:${atom.id}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const atoms = atom === undefined ? [...new Set(parts.flatMap((part) => part.atoms))] : [atom];
    const made: Formula = { id: this.#made.size + OUTCOMES.length, op, parts, constant: undefined, atom, atoms, can };
    this.#made.set(key, made);
    return made;
  }
}

function swapped(can: number): number {
  return (can & ~3) | ((can & 1) << 1) | ((can & 2) >> 1);
}

/** Absent needs an absent part, and so on; the settling outcome one that settles, the neutral one that all are neutral. */
function chainCan(parts: readonly Formula[], settling: number, neutral: number): number {
  let any = 0;
  let all = EVERY;
  for (const { can } of parts) {
    any |= can;
    all &= can;
  }
  const unsettled = parts.every(({ can }) => (can & ~settling) !== 0);
  return (any & settling) | (unsettled ? (any & (BIT.absent | BIT.failed)) | (all & neutral) : 0);
}

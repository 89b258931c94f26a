import type { Atom } from '../../conditions/residual/atom.js';
import type { Formula } from '../../conditions/residual/formula.js';
import { ALWAYS, and, keyOf, NEVER, not, or, type RowCondition } from './row-condition.js';

/** For which rows a guard, or a part of one, is true, false, absent or failed (docs/semantics.md 4.2): each row is in one. */
export interface RowOutcomes {
  readonly true: RowCondition;
  readonly false: RowCondition;
  readonly absent: RowCondition;
  readonly failed: RowCondition;
  /** Set where columns cannot say it: then each outcome has all rows that may turn out so, and perhaps others. */
  readonly partial?: true;
}

/** A kind of outcome. */
type Outcome = Exclude<keyof RowOutcomes, 'partial'>;

/** Outcomes of which nothing can be said. */
export const UNSAYABLE: RowOutcomes = { true: ALWAYS, false: ALWAYS, absent: ALWAYS, failed: ALWAYS, partial: true };

const NO_ROWS: RowOutcomes = { true: NEVER, false: NEVER, absent: NEVER, failed: NEVER };

/** The same outcome for all rows. */
export function always(outcome: Outcome): RowOutcomes {
  return { ...NO_ROWS, [outcome]: ALWAYS };
}

/** A text that only outcomes of the same conditions have. */
export function keyOfOutcomes({ true: yes, false: no, absent, failed, partial }: RowOutcomes): string {
  return [yes, no, absent, failed].map(keyOf).join(partial ? ' partial ' : ' | ');
}

/** Rows that have the value, which `test` is true or false for; the rest has the outcome `otherwise`. */
export function whether(test: RowCondition, present: RowCondition, otherwise: Outcome = 'absent'): RowOutcomes {
  const rest = and([present, not(test)]);
  const outcomes: RowOutcomes = { ...NO_ROWS, true: test, false: rest };
  const lacking = not(present);
  return { ...outcomes, [otherwise]: or([outcomes[otherwise], lacking]) };
}

/** Combines the outcomes of atoms as 4.4 does. */
export class FormulaOutcomes {
  readonly #known = new Map<Formula, RowOutcomes>();

  constructor(private readonly atom: (atom: Atom) => RowOutcomes) {}

  of(formula: Formula): RowOutcomes {
    const known = this.#known.get(formula);
    if (known !== undefined) return known;
    const made = this.#make(formula);
    this.#known.set(formula, made);
    return made;
  }

  #make({ op, parts, constant, atom }: Formula): RowOutcomes {
    if (constant !== undefined) return always(constant);
    if (atom !== undefined) return this.atom(atom);
    const each = parts.map((part) => this.of(part));
    const [first, second, third] = each as [RowOutcomes, RowOutcomes, RowOutcomes];
    switch (op) {
      case 'and':
        return conjunction(each);
      case 'or':
        return negated(conjunction(each.map(negated)));
      case 'not':
        return negated(first);
      case 'if':
        return choice(first, second, third);
      case 'held':
        return { ...first, false: or([first.false, first.absent]), absent: NEVER };
      case 'sure':
        return { ...first, false: or([first.false, first.failed]), failed: NEVER };
      default:
        throw new Error(`A formula is ${op}`);
    }
  }
}

/** The outcomes of the opposite. */
export function negated(outcomes: RowOutcomes): RowOutcomes {
  return { ...outcomes, true: outcomes.false, false: outcomes.true };
}

/** False settles it; absent wins over failed. */
function conjunction(parts: readonly RowOutcomes[]): RowOutcomes {
  const settled = or(parts.map((part) => part.false));
  const absent = or(parts.map((part) => part.absent));
  if (parts.some(({ partial }) => partial)) {
    const failed = or(parts.map((part) => part.failed));
    return { true: and(parts.map((part) => part.true)), false: settled, absent, failed, partial: true };
  }
  const unsettled = not(settled);
  return {
    true: and(parts.map((part) => part.true)),
    false: settled,
    absent: and([unsettled, absent]),
    failed: and([unsettled, not(absent), or(parts.map((part) => part.failed))]),
  };
}

function choice(test: RowOutcomes, yes: RowOutcomes, no: RowOutcomes): RowOutcomes {
  const chosen = (outcome: Outcome) => [and([test.true, yes[outcome]]), and([test.false, no[outcome]])];
  return {
    true: or(chosen('true')),
    false: or(chosen('false')),
    absent: or([test.absent, ...chosen('absent')]),
    failed: or([test.failed, ...chosen('failed')]),
    ...partialIn([test, yes, no]),
  };
}

/** The mark of outcomes that are made of some of which nothing can be said. */
export function partialIn(parts: readonly RowOutcomes[]): { partial?: true } {
  return parts.some(({ partial }) => partial) ? { partial: true } : {};
}

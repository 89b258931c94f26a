import type { Formula, FormulaPool } from './formula.js';

/** Formulas with more atoms are left as they are: of them it takes too long to say that two are the same. */
const ATOMS_MAX = 10;
/** Formulas that are tried for one, before it is left as it is then. */
const TRIED_MAX = 200;

/**
 * A shorter formula that is true for the same requests, and otherwise perhaps anything: for texts of conditions. A part is
 * left out, or stands for what it is a part of, as long as `isSame` proves that it makes no difference; so absent
 * attributes and failures need no rules of their own.
 */
export function simplified(
  formula: Formula,
  pool: FormulaPool,
  isSame: (left: Formula, right: Formula) => boolean,
): Formula {
  if (formula.parts.length === 0 || formula.atoms.length > ATOMS_MAX) return formula;
  let best = formula;
  let tried = 0;
  for (let found: Formula | undefined = best; found !== undefined; ) {
    found = undefined;
    for (const shorter of shorterOf(best, pool)) {
      if (tried === TRIED_MAX) return best;
      tried += 1;
      if (!isSame(formula, shorter)) continue;
      found = shorter;
      best = shorter;
      break;
    }
  }
  return best;
}

/** The formulas that are one step shorter: those that leave out most come first. */
function* shorterOf(formula: Formula, pool: FormulaPool): Generator<Formula> {
  const { op, parts } = formula;
  // What is known of the whole is known of a part that stands for it.
  if (op === 'and' || op === 'or' || op === 'held' || op === 'sure') yield* parts;
  if ((op === 'and' || op === 'or') && parts.length > 2)
    for (const part of parts) yield pool[op](parts.filter((one) => one !== part));
  if (op === 'if') {
    const [test, yes, no] = parts as [Formula, Formula, Formula];
    yield yes;
    yield no;
    yield pool.and([test, yes]);
    yield pool.and([pool.not(test), no]);
    yield pool.or([test, no]);
    yield pool.or([pool.not(test), yes]);
  }
  for (const [at, part] of parts.entries()) {
    for (const shorter of shorterOf(part, pool)) {
      const changed = parts.with(at, shorter);
      const [first, second, third] = changed as [Formula, Formula, Formula];
      switch (op) {
        case 'and':
        case 'or':
          yield pool[op](changed);
          break;
        case 'not':
        case 'held':
        case 'sure':
          yield pool[op](first);
          break;
        case 'if':
          yield pool.choice(first, second, third);
          break;
      }
    }
  }
}

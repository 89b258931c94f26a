import type { Formula, FormulaPool, Settled } from './formula.js';
import { mayTurnOut } from './formula.js';
import type { DecisionList, ResidualCandidate } from './residuals.js';

/** Candidates of one effect and priority, or those that make no difference to be told apart. */
export interface Step {
  readonly deny: boolean;
  readonly residual: Formula;
}

/** A decision list, as it is worked with. */
export interface StepList extends DecisionList {
  /** In order of precedence. */
  readonly steps: readonly Step[];
  /** Set where all requests are allowed, or none. */
  readonly decided: boolean | undefined;
}

/** Makes decision lists, each once. */
export class DecisionLists {
  readonly #pool: FormulaPool;
  readonly #made = new Map<string, StepList>();

  constructor(pool: FormulaPool) {
    this.#pool = pool;
  }

  of(candidates: readonly ResidualCandidate[]): StepList {
    const groups = new Map<string, { deny: boolean; priority: number; parts: Formula[] }>();
    for (const { effect, priority, residual } of candidates) {
      const key = `${priority}/${effect}`;
      const group = groups.get(key) ?? { deny: effect === 'DENY', priority, parts: [] };
      group.parts.push(residual);
      groups.set(key, group);
    }
    const sorted = [...groups.values()].sort(
      (left, right) => right.priority - left.priority || Number(right.deny) - Number(left.deny),
    );
    // At one priority and effect, one that applies wins over one that fails, as in a disjunction.
    return this.#list(sorted.map(({ deny, parts }) => ({ deny, residual: this.#pool.or(parts) })));
  }

  /** The list in which the outcomes of some atoms are filled in. */
  settle(list: StepList, settled: Settled, count: () => void): StepList {
    const steps = list.steps.map(({ deny, residual }) => ({
      deny,
      residual: this.#pool.settle(residual, settled, count),
    }));
    return steps.every(({ residual }, at) => residual === list.steps[at]?.residual) ? list : this.#list(steps);
  }

  #list(steps: readonly Step[]): StepList {
    const plain = steps.map((step) =>
      step.deny ? step : { ...step, residual: this.#pool.only('true', step.residual) },
    );
    const kept = this.#merged(withoutEnd(effective(plain)));
    const key = kept.map(({ deny, residual }) => `${deny ? '-' : '+'}${residual.id}`).join(' ');
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made: StepList = {
      id: this.#made.size,
      steps: kept,
      decided: decidedOf(kept),
      candidates: kept.map(({ deny, residual }, at) => ({
        effect: deny ? 'DENY' : 'ALLOW',
        priority: kept.length - at,
        residual,
      })),
    };
    this.#made.set(key, made);
    return made;
  }

  /** One ALLOW right after another: it makes no difference which of them applies. */
  #merged(steps: readonly Step[]): Step[] {
    const merged: Step[] = [];
    for (const step of steps) {
      const last = merged.at(-1);
      if (last === undefined || last.deny || step.deny) merged.push(step);
      else merged[merged.length - 1] = { deny: false, residual: this.#pool.or([last.residual, step.residual]) };
    }
    return merged;
  }
}

/** Without steps that never apply, and those that others forestall. */
function effective(steps: readonly Step[]): Step[] {
  const kept: Step[] = [];
  let allowed = false;
  for (const step of steps) {
    const { deny, residual } = step;
    if (!deny) {
      if (allowed || !mayTurnOut(residual, 'true')) continue;
      kept.push(step);
      allowed = residual.constant === 'true';
      continue;
    }
    if (residual.constant === 'false') continue;
    // Below a DENY that applies nothing else can apply, and below one that fails nothing can allow.
    if (!mayTurnOut(residual, 'false') && !mayTurnOut(residual, 'failed')) break;
    kept.push(step);
    if (residual.constant === 'failed') break;
  }
  return kept;
}

/**
 * Without a DENY at the end that cannot fail: nothing is left that it could deny, but by failing it would leave the answer
 * open (docs/semantics.md 5.3). Without an ALLOW right above a DENY that always fails, which is left open, too.
 */
function withoutEnd(steps: readonly Step[]): Step[] {
  const kept = [...steps];
  for (;;) {
    const last = kept.at(-1);
    if (last === undefined) return kept;
    if (last.deny && !mayTurnOut(last.residual, 'failed')) kept.pop();
    else if (last.residual.constant === 'failed' && kept.at(-2)?.deny === false) kept.splice(-2, 1);
    else break;
  }
  return kept.some(({ deny }) => !deny) ? kept : [];
}

function decidedOf(steps: readonly Step[]): boolean | undefined {
  const [first] = steps;
  if (first === undefined) return false;
  return steps.length === 1 && !first.deny && first.residual.constant === 'true' ? true : undefined;
}

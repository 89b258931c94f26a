import type { Condition } from '../../conditions/evaluate/compile.js';
import { modifierParts } from '../../conditions/evaluate/guard.js';
import { type ClauseRead, clauseReads, memberRead, TIME_READ } from '../../conditions/reads/clause-reads.js';
import { clausesOf } from '../../conditions/reads/clauses.js';
import { ConditionFault } from '../../conditions/syntax/parse.js';
import { Absent, Failure, OutOfSteps } from '../../conditions/values/outcome.js';
import type { Scope } from '../../conditions/values/scope.js';
import { valueText } from '../../conditions/values/value-text.js';
import type { Modifiers } from '../../records/policy.js';
import type { ExplainedCandidate, ExplainedClause } from '../api/decision.js';
import type { LazyGuard } from '../grants/lazy-guard.js';

/** Callers receive explanations, of many requests at once if they like, so these are bounded. */
const CLAUSES_MAX = 20;
const CLAUSES_OF_ALL_MAX = 200;
const VALUES_MAX = 8;
const CLAUSE_CHARACTERS = 200;
const VALUE_CHARACTERS = 80;

interface ReadingClause extends Condition {
  readonly text: string;
  reads(): readonly ClauseRead[];
}

/** Evaluates the clauses of candidates one by one, as far as the steps of its scope and the bounds go. */
export class ClauseExplainer {
  #left = CLAUSES_OF_ALL_MAX;

  constructor(private readonly scope: Scope) {}

  explained(guard: LazyGuard): Pick<ExplainedCandidate, 'clauses' | 'clauses_left_out'> {
    const all = [
      ...ofCondition(guard.condition),
      ...ofModifiers('modifiers', guard.modifiers),
      ...ofModifiers('unless', guard.unless),
    ];
    const clauses: ExplainedClause[] = [];
    try {
      for (const clause of all.slice(0, Math.min(CLAUSES_MAX, this.#left))) clauses.push(this.#explained(clause));
    } catch (error) {
      if (!(error instanceof OutOfSteps)) throw error;
      this.#left = 0;
    }
    this.#left = Math.max(0, this.#left - clauses.length);
    const leftOut = all.length - clauses.length;
    return { clauses, ...(leftOut > 0 && { clauses_left_out: leftOut }) };
  }

  #explained(clause: ReadingClause): ExplainedClause {
    const outcome = clause.evaluate(this.scope);
    const values: [string, string][] = [];
    for (const read of clause.reads().slice(0, VALUES_MAX)) {
      const value = read.valueIn(this.scope);
      if (value !== undefined && !(value instanceof Absent))
        values.push([cut(read.label), valueText(value, VALUE_CHARACTERS)]);
    }
    return {
      clause: cut(clause.text.replace(/\s+/g, ' ')),
      ...outcomeOf(outcome),
      ...(values.length > 0 && { values: Object.fromEntries(values) }),
    };
  }
}

function ofCondition(condition: string | undefined): ReadingClause[] {
  if (condition === undefined) return [];
  try {
    return clausesOf(condition).map((clause) => ({ ...clause, reads: () => clauseReads(clause.ast) }));
  } catch (error) {
    // The candidate has failed, and says why.
    if (error instanceof ConditionFault) return [];
    throw error;
  }
}

const READS: { readonly [name in keyof Modifiers]-?: ClauseRead } = {
  mfa_required: memberRead('mfa'),
  ip_ranges: memberRead('ip'),
  time_windows: TIME_READ,
};

function ofModifiers(field: 'modifiers' | 'unless', modifiers: Modifiers | undefined): ReadingClause[] {
  return modifierParts(modifiers).map(([name, part]) => ({
    text: `${field}.${name}`,
    evaluate: (scope) => part.evaluate(scope),
    reads: () => [READS[name]],
  }));
}

function outcomeOf(outcome: boolean | Absent | Failure): Pick<ExplainedClause, 'outcome' | 'why'> {
  if (outcome instanceof Absent) return { outcome: 'absent', why: cut(outcome.attribute) };
  if (outcome instanceof Failure) return { outcome: 'failed', why: cut(outcome.cause) };
  return { outcome: outcome ? 'true' : 'false' };
}

function cut(text: string): string {
  if (text.length <= CLAUSE_CHARACTERS) return text;
  return `${text.slice(0, CLAUSE_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

import type { Budget } from '@authz-service/core/access/api/engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { ProblemError } from '@authz-service/core/problem';
import { assertYoung, budgetName } from '@authz-service/pdp/revision/max-age';

/** A held poll alone may take most of one poll interval. */
const POLLS_MIN = 2;

/**
 * How old the records may be that decide about some resource types, as the records themselves say. One that this agent cannot
 * keep, since it asks too seldom, is refused: nothing is decided about the type, instead of now and then.
 */
export class Budgets {
  /** Those of what is served, the shortest first. */
  #all: readonly Budget[] = [];

  constructor(private readonly pollIntervalMs: number) {}

  get all(): readonly Budget[] {
    return this.#all;
  }

  /** Those that this agent cannot keep. */
  get refused(): readonly Budget[] {
    return this.#all.filter((budget) => this.isRefused(budget));
  }

  /** Those that do not allow this age. */
  exceeded(ageMs: number): readonly Budget[] {
    return this.#all.filter((budget) => this.isRefused(budget) || ageMs > budget.maxAgeMs);
  }

  follow(engine: Pick<CompiledEngine, 'budgets'>): void {
    this.#all = [...engine.budgets()].sort(
      (left, right) => left.maxAgeMs - right.maxAgeMs || (left.of < right.of ? -1 : 1),
    );
  }

  isRefused({ maxAgeMs }: Budget): boolean {
    return maxAgeMs < POLLS_MIN * this.pollIntervalMs;
  }

  /** Throws `too_old` if the budget does not allow this age, or cannot be kept. */
  assertWithin(budget: Budget, ageMs: number, until: string): void {
    if (this.isRefused(budget)) throw new ProblemError('too_old', this.refusal(budget));
    assertYoung(ageMs, budget.maxAgeMs, { by: budgetName(budget), until });
  }

  /** Why a budget cannot be kept, and what helps. */
  refusal(budget: Budget): string {
    const [s, least] = [budget.maxAgeMs / 1000, (POLLS_MIN * this.pollIntervalMs) / 1000];
    return (
      `The ${budgetName(budget)}, ${s} s, is less than two poll intervals of this agent (${least} s), so that it decides nothing about ` +
      `that type: set SERVICE_POLL_INTERVAL to ${s / POLLS_MIN}s or less, or raise max_age.`
    );
  }
}

import { Guard } from '../../conditions/evaluate/guard.js';
import type { Modifiers } from '../../records/policy.js';

/** How many guards a process keeps compiled, those first that were compiled last. */
export const COMPILED_MAX = 10_000;
const compiled: (LazyGuard | undefined)[] = [];
let next = 0;

/** The condition, modifiers and `unless` of a policy, compiled when first needed. Policies that say the same share one. */
export class LazyGuard {
  #guard: Guard | null = null;
  #place = 0;

  constructor(
    readonly condition: string | undefined,
    readonly modifiers: Modifiers | undefined,
    readonly unless: Modifiers | undefined,
  ) {}

  get(): Guard {
    if (this.#guard !== null) return this.#guard;
    const guard = new Guard(this.condition, this.modifiers, this.unless);
    this.#guard = guard;
    const oldest = compiled[next];
    if (oldest !== undefined && oldest !== this) oldest.#guard = null;
    compiled[next] = this;
    this.#place = next;
    next = (next + 1) % COMPILED_MAX;
    return guard;
  }

  /** For a guard that no policy has any more: nothing keeps it then. */
  forget(): void {
    this.#guard = null;
    if (compiled[this.#place] === this) compiled[this.#place] = undefined;
  }
}

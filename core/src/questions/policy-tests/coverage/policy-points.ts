import { Guard, modifierParts } from '../../../conditions/evaluate/guard.js';
import { type Clause, clausesOf } from '../../../conditions/reads/clauses.js';
import { Absent, type Outcome, OutOfSteps } from '../../../conditions/values/outcome.js';
import type { Scope } from '../../../conditions/values/scope.js';
import { jsonPointer } from '../../../json/json-pointer.js';
import type { ManifestResult } from '../../../manifest/manifest.js';
import type { Address } from '../../../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../../../records/everyone.js';
import type { DeclaredRecord } from '../../../records/registry.js';
import type { TestRequest } from '../test-request.js';
import type { TestedTenant } from '../tested-tenant.js';
import type { CoveragePoint, Goal } from './coverage-point.js';

type Policy = DeclaredRecord<'policy'>;

/** A part of a policy's guard, seen true and seen false. */
interface SeenPart {
  evaluate(scope: Scope): Outcome;
  whenTrue: CoveragePoint;
  whenFalse: CoveragePoint;
}

/** The points of one policy. */
export class PolicyPoints {
  readonly #decides: CoveragePoint;
  /** Undefined where there is nothing that the policy covers and does not apply to. */
  readonly #spares: CoveragePoint | undefined;
  readonly #parts: SeenPart[];
  readonly #guard: Guard;

  constructor(
    private readonly policy: Policy,
    private readonly tree: Pick<ManifestResult, 'placeOf' | 'linesOf'>,
    assignees: readonly Address[],
  ) {
    const { condition, modifiers, unless } = policy.fields;
    this.#guard = new Guard(condition, modifiers, unless);
    this.#decides = this.#point('decides');
    this.#parts = [
      ...(condition === undefined ? [] : clausesOf(condition)).map((clause) => this.#clause(clause)),
      ...modifierParts(modifiers).map(([name, part]) => this.#part(part, name, jsonPointer('modifiers', name))),
      ...modifierParts(unless).map(([name, part]) => {
        // In `unless`, what is absent does not hold (docs/semantics.md 4.10).
        const evaluate = (scope: Scope) => {
          const outcome = part.evaluate(scope);
          return outcome instanceof Absent ? false : outcome;
        };
        return this.#part({ evaluate }, `unless ${name}`, jsonPointer('unless', name));
      }),
    ];
    const forAll = this.#parts.length === 0 && assignees.includes(`${EVERYONE}/${EVERY_TYPE}`);
    this.#spares = forAll ? undefined : this.#point('does_not_apply');
  }

  get points(): CoveragePoint[] {
    const spares = this.#spares === undefined ? [] : [this.#spares];
    return [this.#decides, ...spares, ...this.#parts.flatMap(({ whenTrue, whenFalse }) => [whenTrue, whenFalse])];
  }

  see(asked: TestRequest, decided: Address | undefined, tenant: TestedTenant): void {
    const { address, fields } = this.policy;
    if (decided === address) this.#decides.hits++;
    const { looked } = asked;
    if (looked === undefined) return;
    if (!looked.candidates.has(address)) {
      if (this.#spares !== undefined && tenant.covers(fields, asked)) this.#spares.hits++;
      return;
    }
    if (this.#parts.length === 0) return;
    try {
      const outcome = this.#guard.evaluate(looked.scope());
      const spared = outcome === false || (outcome instanceof Absent && fields.effect === 'ALLOW');
      if (spared && this.#spares !== undefined) this.#spares.hits++;
      for (const { evaluate, whenTrue, whenFalse } of this.#parts) {
        const part = evaluate(looked.scope());
        if (part === true) whenTrue.hits++;
        else if (part === false) whenFalse.hits++;
      }
    } catch (error) {
      if (!(error instanceof OutOfSteps)) throw error;
    }
  }

  #clause({ text, offset, evaluate }: Clause): SeenPart {
    return this.#part({ evaluate }, text, '/condition', offset);
  }

  #part({ evaluate }: Pick<SeenPart, 'evaluate'>, clause: string, pointer: string, offset?: number): SeenPart {
    const point = (goal: Goal) => ({ ...this.#point(goal, pointer, offset), clause });
    return { evaluate, whenTrue: point('true'), whenFalse: point('false') };
  }

  #point(goal: Goal, pointer?: string, offset?: number): CoveragePoint {
    return pointOf(this.policy.address, goal, this.tree, pointer, offset);
  }
}

export function pointOf(
  address: Address,
  goal: Goal,
  tree: Pick<ManifestResult, 'placeOf' | 'linesOf'>,
  pointer?: string,
  offset?: number,
): CoveragePoint {
  const place = tree.placeOf(address, pointer, offset) ?? { file: '', line: 1, column: 1 };
  const lines = tree.linesOf(address) ?? { file: place.file, first: place.line, last: place.line };
  return { address, goal, hits: 0, ...place, lines };
}

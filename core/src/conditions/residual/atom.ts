import type { TimeWindow } from '../../records/policy.js';
import { buildPart } from '../evaluate/build.js';
import type { Guard } from '../evaluate/guard.js';
import type { Node } from '../evaluate/node.js';
import type { Ast } from '../syntax/parse.js';
import { Absent, type Outcome } from '../values/outcome.js';
import type { Scope } from '../values/scope.js';
import type { Result } from '../values/value.js';
import type { Assignment, Attribute } from './attribute.js';
import type { FormulaOutcome } from './formula.js';
import type { PartialRequest } from './partial-request.js';
import { scopeOf } from './read-value.js';

/** The source of an atom: a part of a condition, or a modifier that is none in Service CEL. */
export type AtomSource =
  | { readonly ast: Ast }
  | { readonly guard: Guard; readonly ranges: readonly string[]; readonly windows?: undefined }
  | { readonly guard: Guard; readonly windows: readonly TimeWindow[]; readonly ranges?: undefined };

/** A part of a guard without `&&`, `||`, `!` and `?:` around it whose outcome depends on what a request chooses. */
export interface Atom {
  readonly id: number;
  readonly source: AtomSource;
  /** As readable Service CEL. */
  readonly text: string;
  /** The two sides of a comparison. */
  readonly sides: readonly [string, string] | undefined;
  /** The attributes that it reads and that are not known. */
  readonly attributes: readonly Attribute[];
  /** The facts that are known of the rest that it reads. */
  readonly known: PartialRequest;
}

const nodes = new WeakMap<Ast, Node>();

/** Evaluates a part of a condition as decisions do. */
export function runPart(ast: Ast, scope: Scope): Result {
  let node = nodes.get(ast);
  if (node === undefined) {
    node = buildPart(ast);
    nodes.set(ast, node);
  }
  return node.run(scope);
}

export function outcomeOf(result: Result | Outcome): FormulaOutcome {
  if (result === true) return 'true';
  if (result === false) return 'false';
  return result instanceof Absent ? 'absent' : 'failed';
}

/** The outcome of an atom where requests choose these values; throws `OutOfSteps`. */
export function evaluateAtom({ source, known }: Atom, chosen: Assignment): FormulaOutcome {
  const scope = scopeOf(known, chosen);
  return outcomeOf('ast' in source ? runPart(source.ast, scope) : source.guard.evaluate(scope));
}

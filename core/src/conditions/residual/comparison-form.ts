import type { Ast } from '../syntax/parse.js';
import { rewritten } from './rewritten.js';
import { readsIn } from './syntax.js';

const SWAPPED: { readonly [op: string]: string } = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
};
const OPPOSITE: { readonly [op: string]: string } = { '!=': '==', '>': '<=', '>=': '<' };

/** A comparison in one of few forms; `negated` if it is the opposite of what was written. */
export interface ComparisonForm {
  readonly ast: Ast;
  readonly negated: boolean;
}

const made = new WeakMap<Ast, ComparisonForm>();

/**
 * `5 < x`, `x > 5` and `!(x <= 5)` mean the same and are absent and fail alike, so all become the opposite of `x <= 5`:
 * what requests choose stands on the left, and only `==`, `<` and `<=` are left.
 */
export function comparisonForm(ast: Ast): ComparisonForm {
  if (SWAPPED[ast.op] === undefined) return { ast, negated: false };
  const known = made.get(ast);
  if (known !== undefined) return known;
  const [left, right] = ast.args as [Ast, Ast];
  const swap = readsIn(left).length === 0 && readsIn(right).length > 0;
  const op = swap ? (SWAPPED[ast.op] as string) : ast.op;
  const opposite = OPPOSITE[op];
  const form = {
    ast: swap || opposite !== undefined ? rewritten(ast, opposite ?? op, swap ? [right, left] : [left, right]) : ast,
    negated: opposite !== undefined,
  };
  made.set(ast, form);
  return form;
}

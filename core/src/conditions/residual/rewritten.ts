import type { Ast } from '../syntax/parse.js';

/** The same place in the source with another operator and other operands, since messages and names come from there. */
export function rewritten(ast: Ast, op: string, args: unknown): Ast {
  const { input } = ast;
  return Object.create(ast, { op: { value: op }, args: { value: args }, input: { value: input } }) as Ast;
}

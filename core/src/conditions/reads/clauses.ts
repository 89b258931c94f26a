import { build } from '../evaluate/build.js';
import { type Condition, evaluate } from '../evaluate/compile.js';
import { type Ast, parseCondition } from '../syntax/parse.js';
import { MAP } from '../values/static-type.js';

/** A part of a condition that is true or false by itself: an operand of `&&`, `||`, `!` and `?:` that is none of these. */
export interface Clause extends Condition {
  readonly ast: Ast;
  readonly text: string;
  /** The place in the condition where it begins, in characters. */
  readonly offset: number;
}

/** The clauses of a condition that compiles, in the order of the text. */
export function clausesOf(condition: string): Clause[] {
  return leavesOf(parseCondition(condition)).map((ast) => {
    const { run, size } = build(ast, MAP);
    return {
      ast,
      text: condition.slice(ast.start, ast.end),
      offset: ast.start,
      evaluate: (scope) => evaluate(run, size, scope),
    };
  });
}

function leavesOf(ast: Ast): Ast[] {
  switch (ast.op) {
    case '&&':
    case '||':
      return ast.args.flatMap(leavesOf);
    case '?:':
      return ast.args.flatMap(leavesOf);
    case '!_':
      return leavesOf(ast.args);
    default:
      return [ast];
  }
}
